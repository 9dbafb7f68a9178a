import { setMaxListeners } from 'node:events';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Html } from '../../web/html';
import { HttpProblem } from '../../web/problems';
import type { Reading } from './reading';

/** Who cannot be reached, which a reader's page cannot show by itself; `back` where all can. */
type Reach = 'engineLost' | 'workerLost' | 'back';

/** A question that some look at. */
interface Topic {
  readonly render: () => Promise<Html>;
  readonly viewers: Set<PassThrough>;
  shown?: string;
  /** Absent until it was looked for. */
  reach?: Reach;
}

const LOOK_EVERY_MS = 2_000;
const BEAT_EVERY_MS = 2_000;
/** Each question is asked again and again. */
const MAX_TOPICS = 50;
const MAX_VIEWERS = 500;
/** Who reads no more than this much later is sent away, and connects again. */
const MAX_UNREAD_BYTES = 1_000_000;

/** Tells browsers what has changed, by server-sent events: one look for each question, however many look at it. */
export class Live {
  private readonly topics = new Map<string, Topic>();
  private readonly viewers = new Set<PassThrough>();
  private readonly closing = new AbortController();
  private beats: NodeJS.Timeout | undefined;

  constructor(private readonly reading: Reading) {
    // Each topic listens for the end.
    setMaxListeners(0, this.closing.signal);
  }

  /** Answers with the events of a question: `render` gives the content of its element. Throws 503 where too many look. */
  send(reply: FastifyReply, question: string, render: () => Promise<Html>): FastifyReply {
    const topic = this.topicOf(question, render);
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
    if (topic.shown !== undefined) write(viewer, 'fragment', topic.shown);
    if (topic.reach !== undefined) for (const event of eventsOf(topic.reach)) write(viewer, event);
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

  private topicOf(question: string, render: () => Promise<Html>): Topic {
    const known = this.topics.get(question);
    if (this.viewers.size >= MAX_VIEWERS || (known === undefined && this.topics.size >= MAX_TOPICS))
      throw new HttpProblem(503, 'Too many look at this console at once.');
    if (known !== undefined) return known;
    const topic: Topic = { render, viewers: new Set() };
    this.topics.set(question, topic);
    void this.follow(question, topic);
    return topic;
  }

  /** Two loops: a list that is slow in coming does not keep back that the engine is lost. */
  private async follow(question: string, topic: Topic): Promise<void> {
    void this.followChanges(question, topic);
    do {
      await this.lookForReach(topic);
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

  private async lookForReach(topic: Topic): Promise<void> {
    const reach = await this.reachNow();
    if (reach === topic.reach) return;
    topic.reach = reach;
    for (const event of eventsOf(reach)) tell(topic, event);
  }

  private async reachNow(): Promise<Reach> {
    try {
      return (await this.reading.isAttended()) ? 'back' : 'workerLost';
    } catch {
      return 'engineLost';
    }
  }
}

/** A page remembers who was lost, also from a connection before this one: it is told that all are back before it is told who is not. */
const eventsOf = (reach: Reach): readonly Reach[] => (reach === 'back' ? ['back'] : ['back', reach]);

async function lookForChange(topic: Topic): Promise<void> {
  try {
    const { text } = await topic.render();
    if (text === topic.shown) return;
    topic.shown = text;
    tell(topic, 'fragment', text);
  } catch {
    // What was shown stays; that the engine is lost is told by itself.
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
