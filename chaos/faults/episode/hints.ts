import { randomUUID } from 'node:crypto';

/**
 * The endpoints at which a world's workers accept hints (messages that a session may have changed). A replacement of a worker keeps its
 * port.
 */
export interface HintEndpoints {
  readonly ports: readonly number[];
  readonly secret: string;
}

const FLOOD = 10;
/** The longest wait for an answer, in milliseconds. A frozen or killed worker does not answer. */
const WITHIN_MS = 2_000;
const ANSWERS = [202, 401, 429];

/**
 * Sends hints about a session to one worker: true hints, false and repeated hints, hints about unknown sessions, and garbage. Throws if an
 * answer has an unexpected status or quotes the hint. If the worker was killed, there is no answer.
 */
export async function sendHints({ ports, secret }: HintEndpoints, sessionId: string): Promise<void> {
  const port = ports[Math.floor(Math.random() * ports.length)] ?? 0;
  const alike = `${sessionId.slice(0, 8)}${randomUUID().slice(8)}`;
  const hints = [
    sessionId,
    JSON.stringify({ sessionId, status: 'Completed', statusDetails: 'EFT0301', paid: true }),
    JSON.stringify({ sessionId, status: 'Failed', statusDetails: 'EFT0404' }),
    `sessionId=${alike}&status=Completed`,
    randomUUID(),
    '{"sessionId":["',
  ];
  const flood = Array.from({ length: FLOOD }, () => hints).flat();
  await Promise.all([
    ...flood.map((body) => send(port, body, secret)),
    send(port, sessionId, 'the-secret-of-another'),
  ]);
}

async function send(port: number, body: string, secret: string): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}/hints`, {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${secret}` },
    signal: AbortSignal.timeout(WITHIN_MS),
  }).catch(() => undefined);
  if (answer === undefined) return;
  const text = await answer.text().catch(() => '');
  const isPermitted = ANSWERS.includes(answer.status) && !text.includes(body);
  if (!isPermitted) throw new Error(`a hint is answered ${answer.status}`);
}
