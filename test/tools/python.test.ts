import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { eft } from '../support/requests';
import { stateOf } from '../support/wait';
import { useWorld } from '../support/worlds/use-world';

const PROGRAM = join(__dirname, '..', '..', 'examples', 'python', 'take_payment.py');
const TEMPORAL_SDK = 'temporalio==1.35.0';
const INSTALL_MS = 180_000;

const packages = mkdtempSync(join(tmpdir(), 'paysession-python-'));
afterAll(() => {
  rmSync(packages, { recursive: true });
});

/** Returns the reason why a Python command fails, or `undefined`. */
function failureOf(...args: readonly string[]): string | undefined {
  const { error, status, stderr } = spawnSync('python3', args, { encoding: 'utf8', timeout: INSTALL_MS });
  if (error !== undefined) return error.message;
  return status === 0 ? undefined : stderr.trim();
}

/**
 * Installs Temporal's Python SDK. Returns the reason if this machine cannot run the example. The tests are then skipped, except in
 * continuous integration.
 */
function missing(): string | undefined {
  const tooOld = failureOf('-c', 'import sys; assert sys.version_info >= (3, 10), "Python 3.10 is needed"');
  return tooOld ?? failureOf('-m', 'pip', 'install', '--quiet', '--target', packages, TEMPORAL_SDK);
}

const lacks = missing();
const isSkipped = lacks !== undefined && process.env['CI'] === undefined;
if (isSkipped) process.stderr.write(`Skipped: the Python example. ${lacks}\n`);

/** The program's exit code and output if its open session is cancelled. */
const cancelled = (checkoutUrl: string) => ({
  code: 1,
  lines: [checkoutUrl, 'not paid Cancelled EFT0501'],
  errors: '',
});

(isSkipped ? describe.skip : describe)('the Python example', () => {
  const world = useWorld();

  /** Runs the program. `firstLine` resolves with the first output, or with the errors if the program ends without output. */
  function takePayment(...args: readonly string[]) {
    if (lacks !== undefined) throw new Error(lacks);
    const env = {
      ...process.env,
      PYTHONPATH: packages,
      TEMPORAL_ADDRESS: world.temporalAddress,
      PAYSESSION_TASK_QUEUE: world.taskQueue,
    };
    let resolveFirst: (text: string) => void;
    const first = new Promise<string>((resolve) => (resolveFirst = resolve));
    const ended = new Promise<{ code: unknown; lines: string[]; errors: string }>((resolve) => {
      const child = execFile('python3', [PROGRAM, ...args], { env }, (error, stdout, stderr) => {
        resolve({ code: error?.code ?? 0, lines: stdout.trim().split('\n'), errors: stderr.trim() });
      });
      child.stdout?.once('data', (chunk: string) => {
        resolveFirst(chunk.trim());
      });
    });
    const firstLine = () => Promise.race([first, ended.then(({ errors }) => errors)]);
    return { ended, firstLine };
  }

  /** The request that the program makes for an amount of twenty-five dollars. */
  const request = (referenceId: string) => ({
    ...eft(referenceId),
    payor: { ...eft().payor, email: 'avery@example.com' },
  });
  const newKey = () => `python-${randomUUID().slice(0, 8)}`;
  const creates = () => world.sandbox.calls.filter(({ route }) => route === 'create').length;
  const CHECKOUT = /^http:\/\/127\.0\.0\.1:\d+\/app\/\?sessionId=[0-9a-f-]{36}$/;

  test('takes a payment on its first run, and prints the result again on a second run with the same arguments', async () => {
    const key = newKey();
    const before = creates();
    const first = await takePayment(key, '25.10', 'sandbox-completes').ended;
    expect(first).toEqual({
      code: 0,
      lines: [expect.stringMatching(CHECKOUT), 'paid Completed EFT0301'],
      errors: '',
    });
    const again = await takePayment(key, '25.1', 'sandbox-completes').ended;
    expect(again).toEqual({ code: 0, lines: ['paid Completed EFT0301'], errors: '' });
    expect(creates() - before).toBe(1);
  });

  test('attaches to a session that another caller has opened for the same payment, and refuses the key for another payment', async () => {
    const key = newKey();
    const reference = 'sandbox-stays-initiated';
    const { checkoutUrl, session } = await world.sessions.open({ key, request: request(reference) });
    const run = takePayment(key, '25', reference);
    expect(await run.firstLine()).toBe(checkoutUrl);
    expect(await takePayment(key, '26', reference).ended).toEqual({
      code: 1,
      lines: [''],
      errors: `The key ${key} belongs to another payment: nothing was started.`,
    });
    await session.cancelAndWait();
    expect(await run.ended).toEqual(cancelled(checkoutUrl));
  });

  test('opens a session to which the TypeScript client can attach', async () => {
    const key = newKey();
    const reference = 'sandbox-stays-initiated';
    const run = takePayment(key, '25.00', reference);
    const url = await run.firstLine();
    const { checkoutUrl, session } = await world.sessions.open({ key, request: request(reference) });
    expect([checkoutUrl, session.started?.attached]).toEqual([url, true]);
    await session.cancelAndWait();
    expect(await run.ended).toEqual(cancelled(checkoutUrl));
  });

  test('reports that a session is parked, and later that an operator has given it up', async () => {
    const key = newKey();
    world.sandbox.failNext('create', { kind: 'status', status: 502 });
    const parking = { key, request: request('order'), policy: { onUnknownCreate: 'park' } } as const;
    const session = await world.sessions.start(parking);
    await stateOf(session, ({ phase }) => phase === 'parked');
    expect(await takePayment(key, '25', 'order').ended).toEqual({
      code: 1,
      lines: [''],
      errors: expect.stringMatching(/^It is unknown whether the session was created/),
    });
    await session.resolveCreate({ abandon: true });
    expect(await takePayment(key, '25', 'order').ended).toEqual({
      code: 1,
      lines: [''],
      errors: expect.stringMatching(/^CREATE_ABANDONED: /),
    });
  });

  test('prints the error code of a session that could not be created', async () => {
    const refused = await takePayment(newKey(), '10000.01').ended;
    expect(refused).toEqual({
      code: 1,
      lines: [''],
      errors: expect.stringMatching(/^SERVICE_REQUEST_REJECTED: /),
    });
  });

  test('prints its usage if it has no arguments', async () => {
    const usage = await takePayment().ended;
    expect(usage).toMatchObject({ code: 2, errors: expect.stringContaining('take_payment.py KEY AMOUNT') });
  });
});
