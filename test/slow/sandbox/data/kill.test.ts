import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eft, eTransfer } from '../../../support/requests';
import { seededRandom, testSeed } from '../../../support/seed';
import { basic } from '../../../support/sandbox/requests-to-sandbox';
import { DEFAULT_CLIENT } from '../../../../sandbox/default-client';

const KILLS = 10;
const CLIENTS = 4;

let data: string;
const running: ChildProcess[] = [];

beforeEach(() => {
  data = join(mkdtempSync(join(tmpdir(), 'paysession-kill-')), 'data');
});

afterEach(async () => {
  await Promise.all(running.splice(0).map(end));
  rmSync(join(data, '..'), { recursive: true });
});

/** The answers that clients have received. After the sandbox was killed, they must find the same data again. */
class Received {
  /** The status of each session. `null` means that a cancel is under way: then both `Initiated` and `Cancelled` are right. */
  readonly sessions = new Map<string, 'Initiated' | 'Cancelled' | null>();
  readonly tokens: string[] = [];
  readonly mailed: string[] = [];
  answers = 0;
}

// Contract rules A3, A10, A54 and A72 (docs/contract.md): tokens, created sessions, cancels and mails.
test('A3, A10, A54, A72 after a kill at any moment, the sandbox still has everything that it has answered', async () => {
  const seed = testSeed();
  const random = seededRandom(seed);
  const received = new Received();
  const message = `--seed ${seed}`;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const { sandbox, url } = await startSandbox();
    expect([message, kill, await misses(url, received)]).toEqual([message, kill, []]);
    await killAfter(sandbox, url, received, 1 + Math.floor(random() * 60));
  }
  const { url } = await startSandbox();
  expect([message, await misses(url, received)]).toEqual([message, []]);
  expect(received.sessions.size).toBeGreaterThan(KILLS);
});

/** Starts the built sandbox in a separate process. */
async function startSandbox(): Promise<{ readonly sandbox: ChildProcess; readonly url: string }> {
  const path = JSON.stringify(join(__dirname, '..', '..', '..', '..', 'dist', 'sandbox'));
  const code = `require(${path}).createSandbox({ dataDir: process.argv[1] }).listen().then(({ url }) => console.log(url))`;
  const sandbox = spawn(process.execPath, ['-e', code, data], { stdio: ['ignore', 'pipe', 'inherit'] });
  running.push(sandbox);
  const [line] = (await Promise.race([once(sandbox.stdout, 'data'), once(sandbox, 'close')])) as unknown[];
  if (!Buffer.isBuffer(line)) throw new Error(`the sandbox ended with ${String(line)}`);
  return { sandbox, url: line.toString().trim() };
}

/** Kills the sandbox and waits until its process has ended: until then, it may still write. */
async function end(sandbox: ChildProcess): Promise<void> {
  if (sandbox.exitCode !== null || sandbox.signalCode !== null) return;
  const exited = once(sandbox, 'exit');
  sandbox.kill('SIGKILL');
  await exited;
}

/** Lets clients work until `answers` answers have arrived. Then kills the sandbox while further answers are under way. */
async function killAfter(
  sandbox: ChildProcess,
  url: string,
  received: Received,
  answers: number,
): Promise<void> {
  const killAt = received.answers + answers;
  const closed = once(sandbox, 'close');
  const onAnswer = () => {
    received.answers += 1;
    if (received.answers === killAt) sandbox.kill('SIGKILL');
  };
  const clients = Array.from({ length: CLIENTS }, () => work(url, received, onAnswer));
  await Promise.all(clients);
  await closed;
}

/** Gets a token. Then opens sessions and cancels every second one, until the sandbox stops answering. */
async function work(url: string, received: Received, onAnswer: () => void): Promise<void> {
  try {
    const token = await authorize(url);
    received.tokens.push(token);
    onAnswer();
    for (let round = 0; ; round += 1) {
      const isMailed = round % 3 === 0;
      const request = isMailed ? mailed : eft();
      const created = await call(`${url}/api/v2/sessions`, token, request);
      const { sessionId } = (await created.json()) as { sessionId?: string };
      if (sessionId === undefined) throw new Error(`a create was answered with ${created.status}`);
      received.sessions.set(sessionId, 'Initiated');
      if (isMailed) received.mailed.push(sessionId);
      onAnswer();
      if (round % 2 === 0) continue;
      received.sessions.set(sessionId, null);
      await (await call(`${url}/api/v2/sessions/${sessionId}/cancel`, token, {})).text();
      received.sessions.set(sessionId, 'Cancelled');
      onAnswer();
    }
  } catch (error) {
    // These errors are expected: the sandbox was killed before it had sent the complete answer.
    if (!/^(TypeError: (fetch failed|terminated)|SyntaxError)/.test(String(error))) throw error;
  }
}

const mailed = {
  ...eTransfer(),
  options: { ...eTransfer().options, notificationPreferences: { sendNetworkLink: true } },
};

/** Returns a text for each answer that a client does not find again, and for each incomplete session. */
async function misses(url: string, received: Received): Promise<readonly string[]> {
  const { mails } = (await (await fetch(`${url}/outbox.json`)).json()) as { mails: { sessionId: string }[] };
  const mailedTo = new Set(mails.map(({ sessionId }) => sessionId));
  const missing = received.mailed.filter((sessionId) => !mailedTo.has(sessionId)).map((id) => `mail ${id}`);
  for (const token of received.tokens) {
    const { status } = await call(`${url}/api/v2/sessions/none/details`, token);
    if (status !== 404) missing.push(`token: ${status}`);
  }
  const token = await authorize(url);
  for (const [sessionId, expected] of received.sessions) {
    const answer = await call(`${url}/api/v2/sessions/${sessionId}/details`, token);
    const { status, step, amount } = (await answer.json()) as Record<string, unknown>;
    if (status !== expected && (expected !== null || !['Initiated', 'Cancelled'].includes(String(status))))
      missing.push(`${sessionId}: ${String(status)} instead of ${String(expected)}`);
    if (step !== (status === 'Cancelled' ? 'Ended' : 'Created') || amount !== 25)
      missing.push(`${sessionId}: half written`);
  }
  return missing;
}

async function authorize(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/authorize`, {
    method: 'POST',
    headers: { authorization: basic(DEFAULT_CLIENT.clientId, DEFAULT_CLIENT.clientSecret) },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return ((await answer.json()) as { access_token: string }).access_token;
}

function call(url: string, token: string, body?: unknown): Promise<Response> {
  return fetch(url, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
}
