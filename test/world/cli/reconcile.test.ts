import { expect, test } from '@jest/globals';
import { CLAIM } from '../../support/ledger/claim';
import { EXPIRED, recordPayment, sessionIdOf } from '../../support/ledger/recorded-payment';
import { testLedger } from '../../support/ledger/test-ledger';
import { paysession } from '../../support/cli/run-paysession';

test('the command reconcile prints totals to the cent, and a reason for each line that is not matched', async () => {
  const { url, ledger } = await testLedger();
  const env = { PAYSESSION_LEDGER_URL: url };
  await recordPayment(ledger, { key: CLAIM.key, referenceId: 'ref-1', amount: 1_234.5 });
  const stdin =
    'Ref;Betrag;Tag;Art\nref-1;1234.50;2026-05-06;settled\nref-2;7.07;2026-05-06;returned\nref-1;1234.50;2026-05-0';
  const columns = 'reference=Ref,amount=Betrag,date=Tag,kind=Art';
  const args = ['reconcile', '-', '--delimiter', ';', '--columns', columns];

  const dry = await paysession([...args, '--dry-run'], { env, stdin });
  expect(dry).toMatchObject({ code: 7, stdout: expect.stringContaining('1 would be recorded') });
  const first = await paysession(args, { env, stdin });
  expect(first).toMatchObject({ code: 7, stderr: '' });
  const rows = first.stdout.split('\n').map((line) => line.split(/ {2,}/));
  expect(rows).toEqual(
    expect.arrayContaining([
      ['LINE', 'NOT MATCHED', 'KIND', 'DATE', 'DOLLARS', 'PAYMENT', 'DETAILS'],
      ['3', 'unknown', 'returned', '2026-05-06', '7.07', 'ref-2', expect.stringContaining('"ref-2"')],
      ['4', 'cutOff', expect.stringContaining('add a line break at its end')],
      ['settled', '1', '1,234.50'],
      ['not matched, returned', '1', '7.07'],
      ['3 lines: 1 recorded, 0 recorded before, 2 not matched (1 cutOff, 1 unknown).'],
    ]),
  );

  const json = await paysession([...args, '--jsonl'], { env, stdin });
  const [unknown, cutOff, totals] = json.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  expect(unknown).toMatchObject({
    file: 'standard input',
    line: 3,
    reason: 'unknown',
    referenceId: 'ref-2',
    amount: 7.07,
  });
  expect(cutOff).toMatchObject({ line: 4, reason: 'cutOff' });
  const summary = { recorded: 0, known: 1, unmatched: 2, settled: { lines: 1, amount: '1234.50' } };
  expect(totals).toMatchObject({ summary });
  expect(json.code).toBe(7);
  const atOnce = await paysession([...args, '--json'], { env, stdin });
  expect(JSON.parse(atOnce.stdout)).toMatchObject({ unmatched: [{ line: 3 }, { line: 4 }], summary });

  const whole = await paysession(args, {
    env,
    stdin: 'Ref;Betrag;Tag;Art\nref-1;1234.50;2026-05-06;settled\n',
  });
  expect(whole).toMatchObject({ code: 0, stdout: expect.stringContaining('1 recorded before') });
  const shown = await paysession(['ledger', 'show', CLAIM.key], { env });
  expect(shown.stdout).toMatch(/money settled +\$1,234[.]50/);

  const other = await paysession(args, { env, stdin: 'Ref;Betrag;Tag;Art\nref-9;1;2026-05-06;settled\n' });
  expect(other.stderr).toMatch(/no line belongs to a session of this ledger/);
  const wrong = await paysession(['reconcile', '-'], { env, stdin });
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^error INVALID_FILE: Nothing was taken from standard input/),
  });
});

// A line has a reference, but no session id. While a second session with that reference is open, the line may belong to
// that session. After the second session has expired, the same file is recorded.
test('the command reconcile records an ambiguous line in a later run, once the open session has ended, and sums credits separately', async () => {
  const { url, ledger } = await testLedger();
  const env = { PAYSESSION_LEDGER_URL: url };
  const out = { key: 'order-3', amount: 70, direction: 'CREDIT' } as const;
  await recordPayment(ledger, { key: 'order-1', referenceId: 'ref-1' });
  await recordPayment(ledger, { key: 'order-2', referenceId: 'ref-1', end: null });
  await recordPayment(ledger, out);
  const lines = ['ref-1,,25.00,2026-05-06,settled', `,${sessionIdOf(out)},70.00,2026-05-06,settled`];
  const stdin = `reference,session,amount,date,kind\n${lines.join('\n')}\n`;
  const early = await paysession(['reconcile', '-'], { env, stdin });
  expect(early).toMatchObject({
    code: 7,
    stdout: expect.stringMatching(/stillOpen .*order-2 is still open/),
  });
  await recordPayment(ledger, { key: 'order-2', referenceId: 'ref-1', end: EXPIRED });
  const late = await paysession(['reconcile', '-'], { env, stdin });
  expect(late).toMatchObject({ code: 0, stdout: expect.stringContaining('1 recorded, 1 recorded before') });
  const rows = late.stdout.split('\n').map((line) => line.split(/ {2,}/));
  expect(rows).toEqual(
    expect.arrayContaining([
      ['settled', '1', '25.00'],
      ['settled, money out', '1', '70.00'],
      ['returned, money out', '0', '0.00'],
    ]),
  );
});

test.each([
  ['--columns', 'amount'],
  ['--columns', 'amuont=Betrag'],
  ['--delimiter', '::'],
])('the command reconcile refuses %s %s', async (option, value) => {
  expect(await paysession(['reconcile', '-', option, value])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('must be'),
  });
});

// Contract rule A76 (docs/contract.md): return codes.
test('A76 the command reconcile lists each returned payment in one run only, with the reason and what to do', async () => {
  const { url, ledger } = await testLedger();
  const env = { PAYSESSION_LEDGER_URL: url };
  await recordPayment(ledger, { key: 'order-1', referenceId: 'ref-1' });
  await recordPayment(ledger, { key: 'order-2', referenceId: 'ref-2' });
  const stdin =
    'reference,amount,date,kind,code\nref-1,25.00,2026-05-06,returned,NSF\nref-2,25.00,2026-05-06,returned,Z-9\n';
  const dry = await paysession(['reconcile', '-', '--dry-run', '--json'], { env, stdin });
  expect(JSON.parse(dry.stdout)).toMatchObject({
    summary: {
      returns: [
        { key: 'order-1', date: '2026-05-06', amount: 25, code: 'NSF', advice: 'presentAgain' },
        { key: 'order-2', code: 'Z-9' },
      ],
    },
  });
  const first = await paysession(['reconcile', '-'], { env, stdin });
  const rows = first.stdout.split('\n').map((line) => line.split(/ {2,}/));
  expect(rows.slice(0, 3)).toEqual([
    ['CAME BACK', 'DATE', 'DOLLARS', 'WHY', 'WHAT TO DO'],
    [
      ...['order-1', '2026-05-06', '25.00', 'NSF: Not sufficient funds'],
      expect.stringMatching(/^Do not deliver yet[.]/),
    ],
    [
      'order-2',
      '2026-05-06',
      '25.00',
      'Z-9',
      expect.stringMatching(/^The money came back: do not deliver[.]/),
    ],
  ]);
  const again = await paysession(['reconcile', '-'], { env, stdin });
  expect(again.stdout).not.toContain('CAME BACK');
});

test('the command reconcile prints the lines of the first file although the second file is missing', async () => {
  const { url, ledger } = await testLedger();
  const env = { PAYSESSION_LEDGER_URL: url };
  for (const key of ['order-1', 'order-2']) await recordPayment(ledger, { key, referenceId: key });
  const stdin = (key: string) => `reference,amount,date,kind,code\n${key},25.00,2026-05-06,returned,NSF\n`;
  const failed = { code: 2, stderr: expect.stringContaining('INVALID_FILE') };
  const text = await paysession(['reconcile', '-', 'missing.csv'], { env, stdin: stdin('order-1') });
  expect(text).toMatchObject({
    ...failed,
    stdout: expect.stringMatching(/^CAME BACK .*\norder-1 [^]*\n1 line: 1 recorded/),
  });
  const json = await paysession(['reconcile', '-', 'missing.csv', '--json'], {
    env,
    stdin: stdin('order-2'),
  });
  expect(json).toMatchObject(failed);
  expect(JSON.parse(json.stdout)).toMatchObject({
    summary: { recorded: 1, returns: [{ key: 'order-2', code: 'NSF' }] },
  });
  expect(await paysession(['reconcile', 'missing.csv'], { env })).toMatchObject({ ...failed, stdout: '' });
});

test('the command ledger lists unmatched lines, late payments and a day’s arrivals, and records that a line was explained', async () => {
  const { url, ledger, database } = await testLedger();
  const env = { PAYSESSION_LEDGER_URL: url };
  for (const key of ['order-1', 'order-2']) await recordPayment(ledger, { key, referenceId: key });
  const [day = ''] = CLAIM.at.split('T');
  const stdin = `reference,amount,date,kind\norder-1,25.00,${day},settled\nnobody,7.10,${day},returned\n`;
  expect(await paysession(['reconcile', '-'], { env, stdin })).toMatchObject({ code: 7 });

  const json = await paysession(['ledger', 'unmatched', '--json'], { env });
  const told = JSON.parse(json.stdout) as { readonly unmatched: readonly { readonly id: string }[] };
  expect(told).toMatchObject({
    unmatched: [
      { reason: 'unknown', amount: 7.1, date: day, referenceId: 'nobody', file: 'standard input', line: 3 },
    ],
    summary: { count: 1, sums: [{ currency: 'CAD', settled: '0.00', returned: '7.10' }] },
  });
  const id = told.unmatched[0]?.id ?? '';
  const add = (dollars: number) =>
    database.query('update paysession_ledger.unmatched_lines set amount = amount + $1::numeric', [dollars]);
  await add(1);
  const verified = await paysession(['ledger', 'verify'], { env });
  expect(verified).toMatchObject({ code: 8, stdout: expect.stringMatching(`line +${id}, in `) });
  await add(-1);
  const explained = ['ledger', 'explained', id, '--by', 'ann', '--reason', 'of another shop'];
  expect(await paysession(explained, { env })).toMatchObject({
    code: 0,
    stdout: `${id}: recorded as explained\n`,
  });
  const again = await paysession([...explained, '--json'], { env });
  expect(JSON.parse(again.stdout)).toEqual({ id, outcome: 'alreadyExplained' });
  const unknown = ['ledger', 'explained', '0123456789abcdef', '--by', 'ann', '--reason', 'asked'];
  expect(await paysession(unknown, { env })).toMatchObject({ code: 3 });
  const both = await paysession([...explained, '--run', 'a-run'], { env });
  expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('--run') });
  const wrong = `reference,amount,currency,date,kind\na,25.00,USD,${day},settled\n`;
  await paysession(['reconcile', '-'], { env, stdin: wrong });
  const waiting = await paysession(['ledger', 'unmatched'], { env });
  expect(waiting.stdout).toMatch(
    /25[.]00 USD .*\n1 line waiting; 25[.]00 USD settled, 0[.]00 USD returned[.]\n$/,
  );
  const listed = await paysession(['ledger', 'unmatched', '--jsonl'], { env });
  const { runId } = JSON.parse(listed.stdout.split('\n')[0] ?? '') as { readonly runId: string };
  const run = ['ledger', 'explained', '--run', runId, '--by', 'ann', '--reason', 'asked'];
  expect(await paysession(run, { env })).toMatchObject({
    code: 0,
    stdout: `${runId}: 1 line recorded as explained\n`,
  });
  const all = await paysession(['ledger', 'unmatched', '--all'], { env });
  expect(all.stdout).toMatch(/explained by ann: of another shop .*\n0 lines waiting\.\n$/);

  const late = await paysession(['ledger', 'list', '--late'], { env });
  expect(late.stdout).toMatch(/^KEY .*\norder-2 .*\n1 session; \$25\.00\.\n$/);
  const arrivals = await paysession(['ledger', 'arrivals', '--from', day, '--to', day], { env });
  expect(arrivals.stdout.split('\n')[1]?.split(/ {2,}/)).toEqual([
    day,
    '2',
    '$50.00',
    '$25.00',
    '$0.00',
    '$25.00',
    '1',
  ]);
});
