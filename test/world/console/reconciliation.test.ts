import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { FastifyInstance } from 'fastify';
import type { PaymentLedger } from '../../../ledger';
import { MASK } from '../../../console/session/personal-fields';
import { consoleOf, formAt, hiddenIn, look, plain, send } from '../../support/console/session-page';
import { reconcileWhole } from '../../support/ledger/reconciliation-files';
import { recordPayment } from '../../support/ledger/recorded-payment';
import { openLedger, testLedger } from '../../support/ledger/test-ledger';

/** Returns the address of the form that explains all unmatched lines of the last run. */
const runPath = async ({ unmatched }: PaymentLedger) =>
  `/reconciliation/runs/${(await unmatched.runs({ size: 1 }))[0]?.id ?? ''}`;

const FILE = `reference,session,amount,date,kind
ref-1,,25.00,2026-09-01,settled
=nobody & co,,7.10,2026-09-02,returned
,5a1c0d52-0000-4000-8000-000000000009,3.00,2026-09-02,settled
`;

/** Builds a console with a ledger and without Temporal: the pages of reconciliation read only the ledger. */
function consoleFor(ledger: PaymentLedger, role: 'operator' | 'viewer' = 'operator') {
  return consoleOf({ ...({} as Parameters<typeof consoleOf>[0]), ledger }, role);
}

interface Upload {
  readonly csrf?: string;
  readonly columns?: string;
  readonly delimiter?: string;
  readonly content?: string | Buffer;
  readonly language?: 'en' | 'fr';
}

/** Sends the form with a file, as a browser does. */
async function upload(app: FastifyInstance, { content = FILE, language = 'en', ...fields }: Upload) {
  const boundary = '----a-boundary';
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="may 06.csv"\r\nContent-Type: text/csv\r\n\r\n`;
  const { statusCode, body } = await app.inject({
    method: 'POST',
    url: '/reconciliation/preview',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, 'accept-language': language },
    payload: Buffer.concat([
      Buffer.from(parts.join('') + head),
      Buffer.from(content),
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  });
  return { statusCode, body, text: plain(body) };
}

/** Returns the names and values of the hidden fields in a page’s last form. */
const allHiddenIn = (body: string): Record<string, string> => ({
  ...Object.fromEntries(
    [...body.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  ),
  ...hiddenIn(body),
});

test('an operator checks a reconciliation file, records the same file, and explains a line that no payment matches', async () => {
  const { ledger } = await testLedger();
  await recordPayment(ledger, { key: 'order-1', referenceId: 'ref-1' });
  const { app, lines } = consoleFor(ledger);
  const empty = await look(app, '/reconciliation');
  expect(empty.text).toContain('No line waits');
  expect(empty.text).toContain('No file yet');
  const { csrf = '' } = hiddenIn(empty.body);

  const dry = await upload(app, { csrf });
  expect(dry.statusCode).toBe(200);
  expect(dry.text).toContain('Would be recorded 1 Recorded before 0 Not matched 2');
  expect(dry.text).toContain('Arrived 1 $25.00 CAD');
  expect(dry.body).toContain('=nobody &#38; co');
  expect(await ledger.unmatched.runs({ size: 1 })).toEqual([]);
  expect((await ledger.entriesOf('order-1')).at(-1)?.fact.kind).toBe('ended');

  const sent = await send(app, '/reconciliation/record', allHiddenIn(dry.body));
  expect(sent).toMatchObject({ statusCode: 303, location: '/reconciliation?done=recorded' });
  expect((await ledger.entriesOf('order-1')).at(-1)?.fact.kind).toBe('settled');
  const { text, body } = await look(app, sent.location ?? '');
  expect(text).toContain('The file was recorded');
  expect(text).toContain('2 lines wait: $3.00 CAD arrived, $7.10 CAD came back.');
  expect(text).toMatch(/may 06\.csv 1 0 2 0/);
  expect(text).toContain('5a1c0d52-0000-4000-8000-000000000009');

  const [, path = ''] = /href="(\/reconciliation\/lines\/[^"]+)"/.exec(body) ?? [];
  const form = await formAt(app, path);
  expect(await send(app, path, { ...form, reason: ' ' })).toMatchObject({ statusCode: 400 });
  const explained = await send(app, path, { ...form, reason: 'of another shop' });
  expect(explained.location).toBe('/reconciliation?done=explained');
  expect((await look(app, path)).text).toContain('Explained by Robin: of another shop');
  expect((await look(app, '/reconciliation', 'fr')).text).toContain('1 ligne en attente');
  const { lines: all } = await ledger.unmatched.page({ size: 10, all: true });
  expect(all.filter(({ by }) => by !== undefined)).toMatchObject([
    { by: 'Robin', explanation: 'of another shop' },
  ]);
  expect(lines.map((line) => line.split(' ').slice(1).join(' '))).toEqual([
    'Robin operator reconcile - checked',
    expect.stringMatching(/^Robin operator reconcile - run [\da-f-]{36}: recorded 1, known 0, unmatched 2$/),
    `Robin operator explain - line ${path.split('/').at(-1) ?? ''}: explained`,
  ]);
});

test('the console refuses a form without its token, an unusable reconciliation file, and a file that is too large', async () => {
  const { ledger } = await testLedger();
  const { app } = consoleFor(ledger);
  const { csrf = '' } = hiddenIn((await look(app, '/reconciliation')).body);
  expect((await upload(app, {})).statusCode).toBe(403);
  expect((await upload(app, { csrf: 'another' })).statusCode).toBe(403);
  const refused = async (fields: Upload) => {
    const { statusCode, text } = await upload(app, { csrf, ...fields });
    return `${statusCode} ${text}`;
  };
  expect(await refused({ content: 'name,secret\na,b\n' })).toMatch(
    /^400 .*The file cannot be used Its first line must name columns for amount, date, kind/,
  );
  expect(await refused({ content: Buffer.from([0x61, 0x0a, 0xe9, 0x0a]) })).toMatch(
    /^400 .*The file is not UTF-8[.]/,
  );
  expect(await refused({ columns: 'amount' })).toMatch(/^400 .*Enter each title after its column/);
  const other = FILE.replaceAll(',', ';').replace('amount', 'Betrag');
  expect(await refused({ content: other, delimiter: ';', columns: 'amount=Betrag' })).toMatch(
    /^200 .*Not matched 3/,
  );
  expect(await refused({ content: 'x'.repeat(5 * 1_024 * 1_024) })).toMatch(
    /^413 .*at most 4 MB.*paysession reconcile/,
  );
  const broken = await app.inject({
    method: 'POST',
    url: '/reconciliation/preview',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    payload: 'no part',
  });
  expect(broken.statusCode).toBe(400);
  const tampered = { csrf, once: randomUUID(), file: Buffer.from('a;b\n').toString('base64') };
  expect(await send(app, '/reconciliation/record', tampered)).toMatchObject({ statusCode: 400 });
  const urlencoded = await send(app, '/reconciliation/preview', { csrf });
  expect(urlencoded.statusCode).toBe(415);
  expect(await ledger.unmatched.runs({ size: 1 })).toEqual([]);
});

test('the console refuses a reconciliation file if workers use another environment of the ledger than the console', async () => {
  const { ledger, url } = await testLedger();
  const { app: own } = consoleFor(ledger);
  const form = hiddenIn((await look(own, '/reconciliation')).body);
  const previewed = allHiddenIn((await upload(own, { csrf: form['csrf'] ?? '' })).body);
  await ledger.namespaces.register({ name: 'default', id: 'namespace-1' });
  const staging = openLedger(url, { environment: 'staging' });
  const { app } = consoleFor(staging);
  const { csrf = '' } = hiddenIn((await look(app, '/reconciliation')).body);
  const dry = await upload(app, { csrf });
  const sent = await send(app, '/reconciliation/record', { ...previewed, csrf });
  for (const { statusCode, text } of [dry, sent])
    expect([statusCode, text]).toEqual([
      409,
      expect.stringContaining('No worker records in this console’s environment'),
    ]);
  expect(await staging.unmatched.runs({ size: 1 })).toEqual([]);
});

test('a viewer sees the unmatched lines with shortened session ids, and cannot send a file or explain a line', async () => {
  const { ledger } = await testLedger();
  await reconcileWhole(ledger, FILE);
  const { app } = consoleFor(ledger, 'viewer');
  const { text, body } = await look(app, '/reconciliation');
  expect(text).toContain(MASK);
  expect(text).toContain('5a1c0d52…');
  expect(body).not.toMatch(/nobody|type="file"|Explain…|Explain its lines|5a1c0d52-0000/);
  const {
    lines: [line],
  } = await ledger.unmatched.page({ size: 1 });
  const path = `/reconciliation/lines/${line?.id ?? ''}`;
  const ofRun = await runPath(ledger);
  for (const one of [path, ofRun]) expect((await look(app, one)).statusCode).toBe(403);
  expect((await upload(app, {})).statusCode).toBe(403);
  for (const one of [path, ofRun, '/reconciliation/record'])
    expect((await send(app, one, {})).statusCode).toBe(403);
});

test('the check warns of a file of another account, and after its recording, all its lines are explained at once', async () => {
  const { ledger } = await testLedger();
  const { app, lines } = consoleFor(ledger);
  const { csrf = '' } = hiddenIn((await look(app, '/reconciliation')).body);
  const content =
    'reference,amount,currency,date,kind\na,25.00,USD,2026-09-01,settled\nb,1.00,CAD,2026-09-01,settled\n';
  const dry = await upload(app, { csrf, content });
  expect(dry.text).toContain('No payment matches any of these lines');
  expect(dry.text).toContain('$25.00 USD');
  expect((await upload(app, { csrf, content, language: 'fr' })).text).toContain(
    'Aucun paiement ne correspond à ces lignes',
  );
  await send(app, '/reconciliation/record', allHiddenIn(dry.body));
  const { text, body } = await look(app, '/reconciliation');
  expect(text).toContain(
    '2 lines wait: $1.00 CAD arrived, $0.00 CAD came back; $25.00 USD arrived, $0.00 USD came back.',
  );
  const path = await runPath(ledger);
  expect(body).toContain(`href="${path}"`);
  const form = await formAt(app, path);
  expect((await look(app, path)).text).toContain('may 06.csv');
  await reconcileWhole(ledger, 'reference,amount,date,kind\nc,25.00,2026-09-01,settled\n', {
    name: 'may 06.csv',
  });
  expect(await send(app, path, { ...form, reason: ' ' })).toMatchObject({ statusCode: 400 });
  const explained = await send(app, path, { ...form, reason: 'of another account' });
  expect(explained.location).toBe('/reconciliation?done=runExplained');
  expect((await look(app, '/reconciliation')).text).toContain('1 line waits: $25.00 CAD arrived');
  expect((await look(app, path)).text).toContain('No line of this run waits');
  expect((await look(app, '/reconciliation/runs/%00')).statusCode).toBe(404);
  expect(lines.at(-1)).toMatch(/Robin operator explain - run [\da-f-]{36}: explained 2$/);
});

test('the message for a refused reconciliation file is in the reader’s language, and hides the command line’s options and the fields of the file’s layout', async () => {
  const { app } = consoleFor((await testLedger()).ledger);
  const { csrf = '' } = hiddenIn((await look(app, '/reconciliation')).body);
  const { statusCode, text, body } = await upload(app, { csrf, content: 'a;b\n', language: 'fr' });
  expect(statusCode).toBe(400);
  expect(text).toContain('Sa première ligne doit nommer');
  expect(body).not.toMatch(/--columns|<details class="disclosure"/);
  expect((await upload(app, { csrf, content: '' })).text).toContain('The file is empty.');
});
