import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ConsoleOptions } from '../server/options';
import { readerOf } from '../server/reader';
import { sessionFragment } from './session-fragment';
import { lostOf, type SessionView } from './view';
import type { SessionWatch } from './watch';

/** The page takes silence that lasts longer for a lost connection. */
const BEAT_EVERY_MS = 2_000;

/** Sends a session's page whenever it changes, as server-sent events, until the reader leaves. */
export function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    key,
    watch,
    options,
  }: { readonly key: string; readonly watch: SessionWatch; readonly options: ConsoleOptions },
): void {
  const reader = readerOf(request);
  let sent = '';
  // What a page remembers of an earlier connection may be over.
  let lost: ReturnType<typeof lostOf> | 'unknown' = 'unknown';
  reply.hijack();
  const { raw } = reply;
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) raw.setHeader(name, value);
  raw.setHeader('content-type', 'text/event-stream; charset=utf-8');
  raw.writeHead(200);
  const send = (event: string, data = '') => {
    if (!raw.destroyed) raw.write(eventText(event, data));
  };
  send('beat');
  const beats = setInterval(() => {
    send('beat');
  }, BEAT_EVERY_MS);
  const show = (view: SessionView) => {
    const nowLost = lostOf(view.silence);
    if (nowLost !== lost) {
      // The page remembers who was lost until it hears that they are back.
      send('back');
      if (nowLost !== undefined) send(`${nowLost}Lost`);
    }
    lost = nowLost;
    // The page may know more, from before.
    if (view.summary === undefined && view.known === undefined) return;
    const { text } = sessionFragment(view, reader, options);
    if (text !== sent) send('fragment', text);
    sent = text;
  };
  const leave = watch.watch(key, (view) => {
    try {
      show(view);
    } catch {
      // The reader's page asks again; the others who look at the session are none the wiser.
      raw.destroy();
    }
  });
  raw.on('close', () => {
    clearInterval(beats);
    leave();
  });
}

/** Each line of the data stands in a line of its own. */
function eventText(event: string, data: string): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `event: ${event}\n${lines.join('')}\n`;
}
