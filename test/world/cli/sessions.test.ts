import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '../../support/wait';
import { eft, eTransfer } from '../../support/requests';
import { paysession, startPaysession, type Running } from '../../support/cli/run-paysession';
import { newKey, useSandbox } from '../../support/cli/use-sandbox';
import { DEFAULT_CLIENT } from '../../../sandbox/default-client';

const { sandbox, env, run, requestFile } = useSandbox();
let worker: Running;

beforeAll(async () => {
  worker = startPaysession(['worker'], env);
  await worker.line(/^working for default/);
});

afterAll(async () => {
  expect(await worker.interrupt()).toBe(0);
});

const quick = ['--policy', '{"fastestPoll":"100ms"}'];

const YELLOW = '\u001b[33m';

const parsed = (text: string): unknown => JSON.parse(text);

describe('a session of the command line', () => {
  test('is started, watched to its end, shown and listed', async () => {
    const key = newKey();
    const request = requestFile(eft('sandbox-completes'));
    const customer = randomUUID();
    const metadata = ['--metadata', `customer=${customer}`, '--metadata', 'note=é "x"'];
    const policy = ['--policy', '{"fastestPoll":"100ms","searchableMetadata":["customer"]}'];
    const started = await run('start', '--key', key, '--request', request, '--open', ...policy, ...metadata);
    expect(started).toMatchObject({ code: 0, stdout: expect.stringContaining('/app/?sessionId=') });

    const watched = await run('watch', key);
    expect(watched.code).toBe(0);
    expect(watched.stdout).toMatch(/Initiated EFT0101 {2}\(create\)\n.*Completed EFT0301 {2}\(poll\)\n$/);
    expect(parsed((await run('state', key, '--json')).stdout)).toMatchObject({
      phase: 'ended',
      paid: true,
      status: 'Completed',
    });
    const history = parsed((await run('history', key, '--json')).stdout);
    expect(history).toMatchObject({
      states: [{ code: 'EFT0101' }, { code: 'EFT0301' }],
      summary: { decisions: [] },
    });
    // The Temporal server's index may lag behind.
    await until(
      () => run('list', '--reference', 'sandbox-completes', '--limit', '1000'),
      ({ stdout }) => new RegExp(`${key} +EFT +Completed EFT0301 +yes `).test(stdout),
    );
    const listed = parsed((await run('list', '--customer', customer, '--json')).stdout);
    expect(listed).toMatchObject([{ key, metadata: { customer } }]);
  });

  test('that ends Completed without a signature is printed as not paid by start, watch, state and list', async () => {
    const key = newKey();
    const request = requestFile(eft('sandbox-awaits-signature'));
    const policy = ['--policy', '{"fastestPoll":"100ms","padSignatureDeadline":"1s"}'];
    const started = await run('start', '--key', key, '--request', request, '--wait', ...policy);
    expect(started).toMatchObject({ code: 9, stdout: `${key}: Completed EFT0302, not paid\n` });
    const again = ['start', '--key', key, '--request', request, '--wait', ...policy];
    const { stdout } = await paysession(again, { env: { ...env, FORCE_COLOR: '1' } });
    expect(stdout).toContain(`${YELLOW}Completed EFT0302`);
    expect(await run('watch', key)).toMatchObject({
      code: 9,
      stdout: expect.stringContaining('Completed EFT0302'),
      stderr: 'The session has ended, and is not paid.\n',
    });
    expect((await run('state', key)).stdout).toMatch(/^paid +no$/m);
    await until(
      () => run('list', '--code', 'EFT0302', '--limit', '1000'),
      ({ stdout }) => new RegExp(`${key} +EFT +Completed EFT0302 +no `).test(stdout),
    );
  });

  test('is started, refreshed and cancelled', async () => {
    const key = newKey();
    await run('start', '--key', key, '--request', requestFile(eft('sandbox-stays-initiated')), '--open');
    const { stdout: state } = await run('state', key);
    expect(state).toMatch(/^amount +\$25\.00 CAD$/m);
    expect(state).toMatch(/^account +default$/m);
    expect(state).toMatch(/^started +\d{4}-.*Z\nsince +\d{4}-.*Z$/m);
    expect(state).toMatch(new RegExp(`^next +.*paysession open ${key}`, 'm'));
    const { stdout } = await run('refresh', key);
    expect(stdout).toContain('Initiated EFT0101');
    expect(stdout).not.toContain('decision');
    expect(await run('cancel', key)).toMatchObject({ code: 0, stdout: 'cancelled: Cancelled EFT0501\n' });
    const again = await run('cancel', key, '--json');
    const decided = { decision: 'cancel', by: userInfo().username, result: 'cancelled' };
    expect([again.code, parsed(again.stdout)]).toMatchObject([
      0,
      { outcome: 'alreadyEnded', state: { decisions: [decided] } },
    ]);
  });

  test('records who cancelled it and why, and the commands print that', async () => {
    const key = newKey();
    await run('start', '--key', key, '--request', requestFile(eft('sandbox-stays-initiated')), '--open');
    const by = userInfo().username;
    const noted = await run('refresh', key, '--reason', 'the payor phoned');
    expect(noted.stdout).toContain(`refresh by ${by}: applied, "the payor phoned"`);
    await run('cancel', key, '--no-wait', '--by', 'Avery', '--reason', 'sold to\nanother');
    expect((await run('watch', key)).stderr).toMatch(/^decision: cancel by Avery: cancelled, "sold to/m);

    expect((await run('state', key)).stdout).toMatch(
      /^decision +cancel by Avery: cancelled, "sold to\\nanother"/m,
    );
    const { stdout } = await run('history', key);
    expect(stdout).toMatch(/\nDECIDED +DECISION +BY +RESULT +REASON\n/);
    expect(stdout).toMatch(/Z +cancel +Avery +cancelled +sold to\\nanother\n/);
    expect(parsed((await run('history', key, '--json')).stdout)).toMatchObject({
      summary: { decisions: [{ decision: 'refresh' }, { decision: 'cancel', by: 'Avery' }] },
    });
  });

  test('that is parked is resolved with the command resolve', async () => {
    const key = newKey();
    sandbox.failNext('create', { kind: 'status', status: 500 });
    const policy = ['--policy', '{"onUnknownCreate":"park","fastestPoll":"100ms"}'];
    const started = await run(
      'start',
      '--key',
      key,
      '--request',
      requestFile(eft('sandbox-completes')),
      '--open',
      ...policy,
    );
    expect(started).toMatchObject({ code: 4, stderr: expect.stringContaining('paysession resolve') });
    const shown = (await run('state', key)).stdout;
    expect(shown).toMatch(/^state +parked$/m);
    expect(shown).toMatch(new RegExp(`^next +parked: .*paysession resolve ${key}`, 'm'));
    const parked = await until(
      () => run('list', '--problem', 'parked', '--phase', 'parked', '--started-after', '1h'),
      ({ stdout }) => stdout.includes(key),
    );
    expect(parked.stdout).toMatch(
      new RegExp(`${key} +EFT +parked +no +\\$25\\.00 +sandbox-completes +parked +`),
    );
    expect((await run('resolve', key)).code).toBe(2);
    const wrong = await run('resolve', key, '--session-id', '../../x');
    expect(wrong).toMatchObject({ code: 4, stderr: expect.stringMatching(/INVALID_INPUT.*sessionId.*UUID/) });
    const another = await run('resolve', key, '--retry', '--park', 'an-earlier-one');
    expect(another).toMatchObject({ code: 4, stderr: expect.stringContaining('a later create request') });
    const decided = ['--by', 'Avery', '--reason', 'not in the list of the service'];
    expect((await run('resolve', key, '--retry', ...decided)).code).toBe(0);
    const watched = await run('watch', key);
    expect(watched.stdout).toContain('Completed EFT0301');
    expect(watched.stderr).toMatch(/^possibleOrphan: .*cancel it there\.$/m);
    expect((await run('state', key)).stdout).toMatch(
      /^decision +retry by Avery: applied, "not in the list of/m,
    );
    expect((await run('resolve', key, '--retry')).code).toBe(0);
    expect(await run('resolve', key, '--abandon')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('nothing to resolve'),
    });
  });

  test('that an operator abandons fails, and the command watch prints the error', async () => {
    const key = newKey();
    sandbox.failNext('create', { kind: 'reset', phase: 'after' });
    const start = ['start', '--key', key, '--request', requestFile(eft('sandbox-completes'))];
    await run(...start, '--open', '--policy', '{"onUnknownCreate":"park"}');
    await run('resolve', key, '--abandon');
    expect(await run('watch', key)).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/^error CREATE_ABANDONED: .*Make sure that no session is left open/m),
    });
    const { code, stderr } = await run('watch', key, '--jsonl');
    expect(code).toBe(6);
    expect(JSON.parse(stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      error: { code: 'CREATE_ABANDONED', exitCode: 6 },
    });
  });

  test('that is parked is previewed with --look, and then adopted', async () => {
    const key = newKey();
    sandbox.failNext('create', { kind: 'reset', phase: 'after' });
    const start = ['start', '--key', key, '--request', requestFile(eft('sandbox-stays-initiated'))];
    await run(...start, '--open', '--policy', '{"onUnknownCreate":"park"}');
    const lost = sandbox.calls.findLast(({ route }) => route === 'create')?.sessionId ?? '';
    const looked = await run('resolve', key, '--session-id', lost, '--look');
    expect(looked).toMatchObject({ code: 0, stdout: expect.stringContaining('can be adopted.') });
    expect(looked.stdout).toMatch(/^amount +25 CAD +25 CAD$/m);
    expect(looked.stdout).toMatch(/^state +Initiated EFT0101$/m);
    const unknown = await run('resolve', key, '--session-id', randomUUID(), '--look', '--json');
    expect([unknown.code, parsed(unknown.stdout)]).toMatchObject([
      6,
      { adoptable: false, refusal: { code: 'SERVICE_SESSION_UNKNOWN' }, asked: { amount: 25 } },
    ]);
    expect((await run('resolve', key, '--retry', '--look')).code).toBe(2);
    expect(parsed((await run('state', key, '--json')).stdout)).toMatchObject({
      phase: 'parked',
      decisions: [],
    });

    const refused = await run('resolve', key, '--session-id', randomUUID());
    expect(refused).toMatchObject({ code: 6, stdout: expect.stringMatching(/^phase +parked$/m) });
    const adopted = await run('resolve', key, '--session-id', lost);
    expect(adopted).toMatchObject({ code: 0, stderr: expect.stringContaining('can be adopted.') });
    expect(adopted.stdout).toMatch(/^phase +open$/m);
    expect((await run('cancel', key)).code).toBe(0);
  });

  test('that has ended leaves doctor without a fault, and doctor prints no client secret', async () => {
    // For a moment, Temporal's index may still say that a resolved session waits for a decision.
    const { stdout } = await until(
      () => run('doctor'),
      ({ code }) => code === 0,
    );
    expect(stdout).toContain('accepts the credentials');
    expect(stdout).not.toContain(DEFAULT_CLIENT.clientSecret);
  });
});

describe('a reference with line breaks', () => {
  test('is printed on one line by the commands list and state', async () => {
    const key = newKey();
    const referenceId = `two\nlines \u001b[2J ${randomUUID()}`;
    const request = requestFile(eTransfer(referenceId));
    await run('start', '--key', key, '--request', request, '--open', ...quick);
    expect((await run('state', key)).stdout).toContain('reference   two\\nlines \\u001b[2J ');
    const { stdout } = await until(
      () => run('list', '--kind', 'e-Transfer', '--running', '--account', 'default'),
      (listed) => listed.stdout.includes(key),
    );
    expect((await run('list', '--account', 'another')).stdout).not.toContain(key);
    const line = stdout.split('\n').find((text) => text.includes(key));
    expect(line).toMatch(/e-Transfer {2}Initiated {2}no {4}\$25\.00 {2}two\\nlines \\u001b\[2J .*Z$/);
    expect((await run('cancel', key)).code).toBe(0);
  });
});

describe('the command list', () => {
  test('finds sessions that ended after a time, and refuses a misspelt status or code', async () => {
    const key = newKey();
    const start = ['start', '--key', key, '--request', requestFile(eft('sandbox-completes'))];
    expect((await run(...start, '--wait', ...quick)).code).toBe(0);
    await until(
      () => run('list', '--ended-after', '1h', '--limit', '1000'),
      ({ stdout }) => stdout.includes(key),
    );
    expect((await run('list', '--ended-after', '2199-01-01')).stdout).not.toContain(key);
    expect(await run('list', '--status', 'completd')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('did you mean Completed?'),
    });
    expect(await run('list', '--code', 'eft0301')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean EFT0301?'),
    });
    expect((await run('list', '--status', 'Settled', '--code', 'EFT0303')).code).toBe(0);
  });
});

describe('a session whose create request the service rejects', () => {
  test('is listed as failed with its error code', async () => {
    const key = newKey();
    const request = requestFile({ ...eft(`failed-${key.slice(0, 20)}`), amount: 10_000.01 });
    expect((await run('start', '--key', key, '--request', request, '--wait')).code).toBe(6);
    const listed = await until(
      () => run('list', '--ended', '--limit', '1000'),
      ({ stdout }) => stdout.includes(key),
    );
    const line = listed.stdout.split('\n').find((text) => text.includes(key));
    expect(line).toMatch(/ failed SERVICE_REQUEST_REJECTED +no /);
  });
});

describe('without a worker', () => {
  test.each([
    ['state', ['state'], 'WORKER_UNAVAILABLE'],
    ['cancel', ['cancel'], 'CANCEL_PENDING'],
  ])('the command %s fails with an error that names the task queue', async (_name, args, error) => {
    const withoutWorker = { ...env, PAYSESSION_TASK_QUEUE: `nobody-${randomUUID()}` };
    const key = newKey();
    const start = ['start', '--key', key, '--request', requestFile(eft())];
    expect((await paysession(start, { env: withoutWorker })).code).toBe(0);
    const { code, stderr } = await paysession([...args, key], { env: withoutWorker });
    expect(code).toBe(5);
    expect(stderr).toMatch(new RegExp(`^error ${error}: .*"${withoutWorker.PAYSESSION_TASK_QUEUE}"`));
  });
});
