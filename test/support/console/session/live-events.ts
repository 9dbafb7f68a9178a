import { afterEach, expect } from '@jest/globals';
import { until } from '../../wait';
import { consoleOf, pathOf, plain } from '../session-page';

export interface ServerEvent {
  readonly event: string;
  readonly data: string;
  readonly atMs: number;
}

/** Functions that close resources after each test. They run newest first. */
export const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Starts a console, opens the live stream of a session’s page, and returns the list of its events. The list grows. */
export async function listen(
  world: Parameters<typeof consoleOf>[0],
  key: string,
): Promise<readonly ServerEvent[]> {
  const { app } = consoleOf(world);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  closing.push(() => app.close());
  const leaving = new AbortController();
  closing.push(() => {
    leaving.abort();
    return Promise.resolve();
  });
  const answer = await fetch(`${url}${pathOf(key, '/events')}`, {
    headers: { accept: 'text/event-stream' },
    signal: leaving.signal,
  });
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  const events: ServerEvent[] = [];
  void readEvents(answer, events).catch(() => undefined);
  return events;
}

async function readEvents({ body }: Response, events: ServerEvent[]): Promise<void> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const lines = part.split('\n');
      const of = (name: string) =>
        lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
      events.push({ event: of('event')[0] ?? '', data: of('data').join('\n'), atMs: Date.now() });
    }
  }
}

/** Makes a synchronous function asynchronous, for `until`. */
export const now =
  <T>(look: () => T) =>
  () =>
    Promise.resolve(look());

/** Waits for an event with this name and text, and returns the newest such event. */
export const heard = (events: readonly ServerEvent[], event: string, text = '') =>
  until(
    now(() => events.findLast((each) => each.event === event && plain(each.data).includes(text))),
    (found) => found !== undefined,
  );
