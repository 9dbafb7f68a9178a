import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Html } from '../../src/web/html';
import { isFromOtherSite } from '../../src/web/guards';
import { readerOf, type Visitor } from '../access/reader';
import { Refusal } from '../http/refusal';

/**
 * The part behind the console that does not answer, the Temporal server or the worker, or `back` if both answer. A page cannot detect this
 * by itself.
 */
export type Reach = 'temporalLost' | 'workerLost' | 'back';

/** A fragment of a page that is shown live. If a read fails, it is repeated, and the page keeps the last fragment. */
export interface Shown {
  /** Returns the content of the page's element; `undefined` if the page should keep its content. */
  readonly render: () => Promise<Html | undefined>;
  /** Returns the part that cannot be reached now. */
  readonly reach: () => Promise<Reach>;
}

/** A fragment with the viewers to whom its changes are sent. */
interface Topic extends Shown {
  readonly viewers: Set<Viewer>;
  /** The name of the person who joined last. */
  lastName: string;
  /** The last fragment sent. */
  sent?: string;
  /** The last reach sent. Absent until it was checked. */
  sentReach?: Reach;
}

/**
 * The interval of the checks. Together with the time limit of an answer, it is short enough to report a lost worker or Temporal server
 * within five seconds.
 */
const CHECK_EVERY_MS = 1_500;

/** The interval of `beat` events. A page reports a lost connection after four seconds without an event. */
const BEAT_EVERY_MS = 2_000;

/** The maximum number of topics. It is limited because the console reads each topic again and again. */
const MAX_TOPICS = 100;

const MAX_VIEWERS = 500;

/** The maximum number of topics for one person, across all logins, so that other people get topics, too. */
const MAX_TOPICS_OF_ONE = 20;

const MAX_VIEWERS_OF_ONE = 50;

/**
 * The time, in milliseconds, after which a stream ends and the browser must request it again. The access is then checked again, also by a
 * proxy in front of the console.
 */
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
    // Each topic adds a listener, so there may be more listeners than Node's default limit.
    setMaxListeners(0, this.#closing.signal);
  }

  /** The number of topics that are read. */
  get size(): number {
    return this.#topics.size;
  }

  /**
   * Answers with a stream of a topic's events. Viewers with the same key share the topic. Throws `Refusal` if there are too many viewers or
   * topics, in all or for this person, or if the request comes from another site.
   */
  send(request: FastifyRequest, reply: FastifyReply, key: string, shown: Shown): FastifyReply {
    // No person follows a link to a stream. So such a request comes from another site's script, and would make the console read a topic.
    if (isFromOtherSite(request)) throw new Refusal('otherSite');
    const visitor = readerOf(request);
    const topic = this.#topicOf(key, shown, visitor.operator.name);
    const viewer = new Viewer(visitor, reply.raw, this.#renewedAfterMs);
    topic.viewers.add(viewer);
    this.#viewers.add(viewer);
    this.#beats ??= setInterval(() => {
      for (const each of this.#viewers) each.send('beat');
    }, BEAT_EVERY_MS);
    viewer.stream.once('close', () => {
      topic.viewers.delete(viewer);
      this.#viewers.delete(viewer);
      if (this.#viewers.size === 0) this.#stopBeats();
    });
    viewer.send('beat');
    if (topic.sent !== undefined) viewer.send('fragment', topic.sent);
    if (topic.sentReach !== undefined) for (const event of eventsOf(topic.sentReach)) viewer.send(event);
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

  /**
   * Checks the topic in two loops, one for the content and one for the reach. So a slow list does not delay the report of a lost Temporal
   * server.
   */
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

  /** Waits until the next check. Returns false at once when the console closes, because then each loop must end. */
  #pause(): Promise<boolean> {
    return sleep(CHECK_EVERY_MS, true, { signal: this.#closing.signal }).catch(() => false);
  }
}

/** True if a topic counts for a person's limit. A topic without viewers is still read for a moment. It then counts for its last viewer. */
const isTopicOf = (name: string, { viewers, lastName }: Topic): boolean =>
  viewers.size === 0 ? lastName === name : [...viewers].some(({ visitor }) => visitor.operator.name === name);

async function checkReach(topic: Topic): Promise<void> {
  const reach = await topic.reach().catch(() => topic.sentReach);
  if (reach === undefined || reach === topic.sentReach) return;
  topic.sentReach = reach;
  for (const event of eventsOf(reach)) sendToAll(topic, event);
}

/**
 * Returns the events that report a reach. A page may still show a lost part from an earlier connection. So the page first receives `back`,
 * and then the part that is lost now.
 */
const eventsOf = (reach: Reach): readonly Reach[] => (reach === 'back' ? ['back'] : ['back', reach]);

async function checkChange(topic: Topic): Promise<void> {
  try {
    const { text } = (await topic.render()) ?? { text: topic.sent };
    if (text === undefined || text === topic.sent) return;
    topic.sent = text;
    sendToAll(topic, 'fragment', text);
  } catch {
    // No report here, because `checkReach` reports the loss of the Temporal server.
  }
}

function sendToAll({ viewers }: Topic, event: string, data = ''): void {
  for (const viewer of viewers) viewer.send(event, data);
}

/** A viewer with more unread bytes is disconnected, and reconnects. */
const MAX_UNREAD_BYTES = 1_000_000;

/** A viewer that does not read the last event within this time, in milliseconds, is disconnected. */
const TAKEN_WITHIN_MS = 2_000;

/**
 * The reason for a stream's end. `loginEnded`: the login has ended, and the browser's next request is refused. `renew`: the access must be
 * checked again.
 */
type StreamEnd = 'loginEnded' | 'renew';

/**
 * A viewer of a topic: one stream of server-sent events. The stream ends with the viewer's login. It also ends after `RENEWED_AFTER_MS`,
 * because access is checked only when a stream starts.
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
    // The stream must close with the response even if nothing reads the stream, as with a HEAD request.
    response.once('close', () => this.stream.destroy());
  }

  /** Sends an event. If the stream's time is over, ends the stream. If too many bytes are unread, disconnects the viewer. */
  send(event: string, data = ''): void {
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
