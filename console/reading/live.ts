import { setMaxListeners } from 'node:events';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Html } from '../../web/html';
import { HttpProblem } from '../../web/problems';

/** Who cannot be reached, which a reader's page cannot show by itself; `back` where all can. */
export type Reach = 'engineLost' | 'workerLost' | 'back';

/** What is shown live. A look that fails is made again; what was shown stays meanwhile. */
export interface Shown {
  /** The content of the page's element; `undefined` where there is nothing that the page does not have. */
  readonly render: () => Promise<Html | undefined>;
  /** Who cannot be reached now. */
  readonly reach: () => Promise<Reach>;
}

/** A question that some look at. */
interface Topic extends Shown {
  readonly viewers: Set<PassThrough>;
  sent?: string;
  /** Absent until it was looked for. */
  told?: Reach;
}

/** A lost worker or engine is told within five seconds: this, and the time for which an answer is waited. */
const LOOK_EVERY_MS = 1_500;
const BEAT_EVERY_MS = 2_000;
/** Each question is asked again and again. */
const MAX_TOPICS = 100;
const MAX_VIEWERS = 500;
/** Who reads no more than this much later is sent away, and connects again. */
const MAX_UNREAD_BYTES = 1_000_000;

/** Tells browsers what has changed, by server-sent events: one look for each question, however many look at it. */
export class Live {
  private readonly topics = new Map<string, Topic>();
  private readonly viewers = new Set<PassThrough>();
  private readonly closing = new AbortController();
  private beats: NodeJS.Timeout | undefined;

  constructor() {
    // Each topic listens for the end.
    setMaxListeners(0, this.closing.signal);
  }

  /** How many questions are looked at. */
  get size(): number {
    return this.topics.size;
  }

  /** Answers with the events of a question. Throws 503 where too many look. */
  send(reply: FastifyReply, question: string, shown: Shown): FastifyReply {
    const topic = this.topicOf(question, shown);
    const viewer = new PassThrough();
    topic.viewers.add(viewer);
    this.viewers.add(viewer);
    this.beats ??= setInterval(() => {
      for (const each of this.viewers) write(each, 'beat');
    }, BEAT_EVERY_MS);
    viewer.once('close', () => {
      topic.viewers.delete(viewer);
      this.viewers.delete(viewer);
      if (this.viewers.size === 0) this.stopBeats();
    });
    write(viewer, 'beat');
    if (topic.sent !== undefined) write(viewer, 'fragment', topic.sent);
    if (topic.told !== undefined) for (const event of eventsOf(topic.told)) write(viewer, event);
    return reply
      .type('text/event-stream')
      .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
      .send(viewer);
  }

  /** Ends all that is being sent. */
  close(): void {
    this.closing.abort();
    for (const viewer of this.viewers) viewer.destroy();
    this.stopBeats();
  }

  private stopBeats(): void {
    clearInterval(this.beats);
    this.beats = undefined;
  }

  private topicOf(question: string, shown: Shown): Topic {
    const known = this.topics.get(question);
    if (this.viewers.size >= MAX_VIEWERS || (known === undefined && this.topics.size >= MAX_TOPICS))
      throw new HttpProblem(503, 'Too many look at this console at once.');
    if (known !== undefined) return known;
    const topic: Topic = { ...shown, viewers: new Set() };
    this.topics.set(question, topic);
    void this.follow(question, topic);
    return topic;
  }

  /** Two loops: a list that is slow in coming does not keep back that the engine is lost. */
  private async follow(question: string, topic: Topic): Promise<void> {
    void this.followChanges(question, topic);
    do {
      await lookForReach(topic);
      await this.pause();
    } while (topic.viewers.size > 0 && !this.closing.signal.aborted);
    this.topics.delete(question);
  }

  private async followChanges(question: string, topic: Topic): Promise<void> {
    do {
      await lookForChange(topic);
      await this.pause();
    } while (this.topics.get(question) === topic);
  }

  private pause(): Promise<unknown> {
    return sleep(LOOK_EVERY_MS, undefined, { signal: this.closing.signal }).catch(() => undefined);
  }
}

async function lookForReach(topic: Topic): Promise<void> {
  const reach = await topic.reach().catch(() => topic.told);
  if (reach === undefined || reach === topic.told) return;
  topic.told = reach;
  for (const event of eventsOf(reach)) tell(topic, event);
}

/** A page remembers who was lost, also from a connection before this one: it is told that all are back before it is told who is not. */
const eventsOf = (reach: Reach): readonly Reach[] => (reach === 'back' ? ['back'] : ['back', reach]);

async function lookForChange(topic: Topic): Promise<void> {
  try {
    const { text } = (await topic.render()) ?? { text: topic.sent };
    if (text === undefined || text === topic.sent) return;
    topic.sent = text;
    tell(topic, 'fragment', text);
  } catch {
    // That the engine is lost is told by itself.
  }
}

function tell({ viewers }: Topic, event: string, data = ''): void {
  for (const viewer of viewers) write(viewer, event, data);
}

function write(viewer: PassThrough, event: string, data = ''): void {
  if (viewer.writableLength > MAX_UNREAD_BYTES) {
    viewer.destroy();
    return;
  }
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  viewer.write(`event: ${event}\n${lines.join('')}\n`);
}
