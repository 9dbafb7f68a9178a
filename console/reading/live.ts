import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Html } from '../../src/web/html';
import { isFromOtherSite } from '../../src/web/guards';
import { readerOf, type Visitor } from '../access/reader';
import { Refusal } from '../http/refusal';

/** The part that cannot be reached, which a page cannot detect by itself; `back` if all parts can be reached. */
export type Reach = 'temporalLost' | 'workerLost' | 'back';

/** A fragment of a page that is shown live. A failed read is repeated; meanwhile the page keeps the last fragment. */
export interface Shown {
  /** Returns the content of the page's element; `undefined` if the page already has everything. */
  readonly render: () => Promise<Html | undefined>;
  /** Returns the part that cannot be reached now. */
  readonly reach: () => Promise<Reach>;
}

/** A fragment that viewers follow. */
interface Topic extends Shown {
  readonly viewers: Set<Viewer>;
  /** The name of the last viewer. */
  lastName: string;
  /** The last fragment sent. */
  sent?: string;
  /** The last reach sent. Absent until it was checked. */
  told?: Reach;
}

/**
 * The interval of the checks. Short enough, with the time limit of an answer, to report a lost worker or Temporal server within five
 * seconds.
 */
const CHECK_EVERY_MS = 1_500;

/** The interval of `beat` events. A page reports a lost connection after four seconds without an event. */
const BEAT_EVERY_MS = 2_000;

/** The maximum number of topics, because each is read repeatedly. */
const MAX_TOPICS = 100;

const MAX_VIEWERS = 500;

/** The maximum number of topics for one person, across all logins. The rest is for other people. */
const MAX_TOPICS_OF_ONE = 20;

const MAX_VIEWERS_OF_ONE = 50;

/** The time in milliseconds after which a viewer has to be admitted again, also by a proxy in front of the console. */
const RENEWED_AFTER_MS = 60_000;

/** Sends changes to browsers by server-sent events. Reads each topic once, for all its viewers. */
export class Live {
  readonly #topics = new Map<string, Topic>();
  readonly #viewers = new Set<Viewer>();
  readonly #closing = new AbortController();
  #beats: NodeJS.Timeout | undefined;
  readonly #renewedAfterMs: number;

  constructor(renewedAfterMs = RENEWED_AFTER_MS) {
    this.#renewedAfterMs = renewedAfterMs;
    // Each topic listens for the end.
    setMaxListeners(0, this.#closing.signal);
  }

  /** The number of topics that are read. */
  get size(): number {
    return this.#topics.size;
  }

  /**
   * Answers with the events of a topic. Viewers with the same key share the topic. Throws `Refusal` if there are too many viewers or
   * topics, if one person has too many, or if the request comes from another site.
   */
  send(request: FastifyRequest, reply: FastifyReply, key: string, shown: Shown): FastifyReply {
    // No person follows a link to a stream. Each request would make the console read a topic for a while.
    if (isFromOtherSite(request)) throw new Refusal('otherSite');
    const visitor = readerOf(request);
    const topic = this.#topicOf(key, shown, visitor.operator.name);
    const viewer = new Viewer(visitor, reply.raw, this.#renewedAfterMs);
    topic.viewers.add(viewer);
    this.#viewers.add(viewer);
    this.#beats ??= setInterval(() => {
      for (const each of this.#viewers) each.tell('beat');
    }, BEAT_EVERY_MS);
    viewer.stream.once('close', () => {
      topic.viewers.delete(viewer);
      this.#viewers.delete(viewer);
      if (this.#viewers.size === 0) this.#stopBeats();
    });
    viewer.tell('beat');
    if (topic.sent !== undefined) viewer.tell('fragment', topic.sent);
    if (topic.told !== undefined) for (const event of eventsOf(topic.told)) viewer.tell(event);
    return reply
      .type('text/event-stream')
      .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
      .send(viewer.stream);
  }

  /** Ends the streams of a login. */
  endLogin(loginId: string): void {
    for (const viewer of this.#viewers) if (viewer.visitor.loginId === loginId) viewer.end('loginEnded');
  }

  /** Ends all streams. */
  close(): void {
    this.#closing.abort();
    for (const { stream } of this.#viewers) stream.destroy();
    this.#stopBeats();
  }

  #stopBeats(): void {
    clearInterval(this.#beats);
    this.#beats = undefined;
  }

  #topicOf(key: string, shown: Shown, name: string): Topic {
    const known = this.#topics.get(key);
    this.#refuseTooMany(name, known === undefined);
    if (known !== undefined) {
      known.lastName = name;
      return known;
    }
    const topic: Topic = { ...shown, viewers: new Set(), lastName: name };
    this.#topics.set(key, topic);
    void this.#follow(key, topic);
    return topic;
  }

  #refuseTooMany(name: string, isNew: boolean): void {
    const [viewers, topics] = [this.#viewers, this.#topics];
    if (viewers.size >= MAX_VIEWERS || (isNew && topics.size >= MAX_TOPICS)) throw new Refusal('crowded');
    const own = [...viewers].filter(({ visitor }) => visitor.operator.name === name);
    const ownTopics = [...topics.values()].filter((topic) => isTopicOf(name, topic));
    if (own.length >= MAX_VIEWERS_OF_ONE || (isNew && ownTopics.length >= MAX_TOPICS_OF_ONE))
      throw new Refusal('tooManyLooks');
  }

  /** Runs two loops, so that a slow list does not delay the report of a lost Temporal server. */
  async #follow(key: string, topic: Topic): Promise<void> {
    void this.#followChanges(key, topic);
    do {
      await checkReach(topic);
    } while ((await this.#pause()) && topic.viewers.size > 0);
    this.#topics.delete(key);
  }

  async #followChanges(key: string, topic: Topic): Promise<void> {
    do {
      await checkChange(topic);
    } while ((await this.#pause()) && this.#topics.get(key) === topic);
  }

  /** Waits until the next check. Returns false, without a wait, once the console closes: each loop must end then, too. */
  #pause(): Promise<boolean> {
    return sleep(CHECK_EVERY_MS, true, { signal: this.#closing.signal }).catch(() => false);
  }
}

/** Returns true if a topic counts as a person's. A topic without viewers is still read for a moment, and counts as its last viewer's. */
const isTopicOf = (name: string, { viewers, lastName }: Topic): boolean =>
  viewers.size === 0 ? lastName === name : [...viewers].some(({ visitor }) => visitor.operator.name === name);

async function checkReach(topic: Topic): Promise<void> {
  const reach = await topic.reach().catch(() => topic.told);
  if (reach === undefined || reach === topic.told) return;
  topic.told = reach;
  for (const event of eventsOf(reach)) tell(topic, event);
}

/**
 * Returns the events that report a reach. A page remembers the lost part, even from an earlier connection. So it first receives `back`, and
 * then the part that is lost now.
 */
const eventsOf = (reach: Reach): readonly Reach[] => (reach === 'back' ? ['back'] : ['back', reach]);

async function checkChange(topic: Topic): Promise<void> {
  try {
    const { text } = (await topic.render()) ?? { text: topic.sent };
    if (text === undefined || text === topic.sent) return;
    topic.sent = text;
    tell(topic, 'fragment', text);
  } catch {
    // The loss of the Temporal server is reported separately.
  }
}

function tell({ viewers }: Topic, event: string, data = ''): void {
  for (const viewer of viewers) viewer.tell(event, data);
}

/** A viewer with more unread bytes is disconnected, and reconnects. */
const MAX_UNREAD_BYTES = 1_000_000;

/** A viewer that does not read the last event within this time, in milliseconds, is disconnected. */
const TAKEN_WITHIN_MS = 2_000;

/**
 * The reason for a stream's end: its login has ended, so that the browser's next request is refused, or the viewer has to be admitted
 * again.
 */
type StreamEnd = 'loginEnded' | 'renew';

/**
 * A viewer of a topic: a stream of server-sent events. It ends with the viewer's login. It also ends after a while, because access is
 * checked only at its start. All its events are sent here.
 */
class Viewer {
  readonly stream = new PassThrough();
  readonly #renewedAtMs: number;
  readonly #response: ServerResponse;

  constructor(
    readonly visitor: Visitor,
    response: ServerResponse,
    renewedAfterMs: number,
  ) {
    this.#response = response;
    this.#renewedAtMs = performance.now() + renewedAfterMs;
    // The stream also closes if nothing reads it, as with a HEAD request.
    response.once('close', () => this.stream.destroy());
  }

  /** Sends an event. If the stream's time is over, ends the stream. If too many bytes are unread, disconnects the viewer. */
  tell(event: string, data = ''): void {
    const { stream, visitor } = this;
    if (stream.writableEnded) return;
    if (Date.now() >= (visitor.endsAtMs ?? Infinity)) this.end('loginEnded');
    else if (performance.now() >= this.#renewedAtMs) this.end('renew');
    else if (stream.writableLength > MAX_UNREAD_BYTES) this.#response.destroy();
    else stream.write(textOf(event, data));
  }

  /** Ends the stream with a reason. */
  end(why: StreamEnd): void {
    if (this.stream.writableEnded) return;
    this.stream.end(`retry: 500\n${textOf(why)}`);
    const timer = setTimeout(() => this.#response.destroy(), TAKEN_WITHIN_MS);
    this.#response.once('close', () => {
      clearTimeout(timer);
    });
  }
}

function textOf(event: string, data = ''): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `event: ${event}\n${lines.join('')}\n`;
}
