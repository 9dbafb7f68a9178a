import { describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { PaysessionError } from '../../../src/errors';
import type { PaymentLedger } from '../../../ledger';
import { CLAIM } from '../../support/ledger/claim';
import { exampleLedger } from '../../support/ledger/example-payments';
import { parseCsv } from '../../support/cli/parse-csv';
import { credit } from '../../support/requests';
import { testSeed } from '../../support/seed';
import { until } from '../../support/wait';
import { consoleOf, look, plain } from '../../support/console/session-page';
import type { Payments } from '../../../console/options';

/** Builds a console with a ledger and without Temporal: the pages of payments read only the ledger. */
async function paymentsConsole(
  changed: Partial<Payments> = {},
  timeZone = 'America/Toronto',
  known?: PaymentLedger,
  role: 'operator' | 'viewer' = 'operator',
) {
  const ledger = known ?? (await exampleLedger());
  const { payments } = ledger;
  const asked = {
    page: payments.page.bind(payments),
    all: payments.all.bind(payments),
    totals: payments.totals.bind(payments),
    among: payments.among.bind(payments),
    claimsAmong: payments.claimsAmong.bind(payments),
    days: payments.days.bind(payments),
    arrivals: payments.arrivals.bind(payments),
    lateAfterDays: payments.lateAfterDays,
    timeZone: payments.timeZone,
    ...changed,
  };
  const nowhere = {} as Parameters<typeof consoleOf>[0];
  const { app, lines } = consoleOf(
    {
      ...nowhere,
      ledger: {
        entriesOf: (key) => ledger.entriesOf(key),
        handleReturn: (key, handled) => ledger.handleReturn(key, handled),
        reconcile: (file, options) => ledger.reconcile(file, options),
        explainLine: (id, explanation) => ledger.explainLine(id, explanation),
        explainRun: (run, explanation) => ledger.explainRun(run, explanation),
        payments: asked,
        webhookDeliveries: ledger.webhookDeliveries,
        unmatched: ledger.unmatched,
        namespaces: ledger.namespaces,
      },
      timeZone,
    },
    role,
  );
  return { app, ledger, lines };
}

/** Requests the list until it has its sums, which the console adds up in the background. */
const addedUp = (app: Awaited<ReturnType<typeof paymentsConsole>>['app'], language: 'en' | 'fr') =>
  until(
    () => look(app, '/payments', language),
    ({ text }) => !/Still adding up|Addition en cours/.test(text),
  );

const keysIn = (body: string) =>
  [...body.matchAll(/<a class="key" href="\/sessions\/(.*?)"/g)].map(([, key]) => key);

describe('the list of payments', () => {
  test('shows each payment’s amount, state and money movements in the merchant’s time zone, and the sum of all payments', async () => {
    const { app } = await paymentsConsole();
    const { body, text } = await addedUp(app, 'en');
    expect(keysIn(body)).toEqual(['other-5', 'other-4', 'order-3', 'order-2', 'order-1']);
    expect(text).toContain(
      '5 payments $1,275.80 CAD (of which $1,250.50 CAD came back) (4 with a known amount)',
    );
    expect(text).toContain('other-4 $1,250.50 CAD Money returned Completed 2026-03-05 EFT default');
    expect(text).toContain('order-3 $0.20 CAD Paid Completed Arrived 2026-03-03 EFT west boots');
    expect(text).toContain('order-2 $0.10 CAD Paid Completed Scheduled EFT west – 2026-03-01 22:00:00 EST');
    expect(text).toContain('Days are counted from midnight to midnight in America/Toronto.');
  });

  test('can be filtered by customer or by other metadata', async () => {
    const known = await exampleLedger();
    const metadata = { customer: 'cus_42', branch: 'west', note: 'VIP' };
    const searchable = ['customer', 'branch'];
    await known.claim({ ...CLAIM, key: 'order-8', firstRunId: 'run-8', metadata, searchable });
    const { app } = await paymentsConsole({}, 'America/Toronto', known);
    const { body, text } = await look(app, '/payments', 'en');
    expect(text).toMatch(/order-8 .* cus_42 /);
    expect(body).toContain('<a href="/payments?customer=cus_42"');
    const ofCustomer = await look(app, '/payments?customer=cus_42', 'fr');
    expect([keysIn(ofCustomer.body), ofCustomer.text]).toEqual([
      ['order-8'],
      expect.stringContaining('Paiements du client cus_42'),
    ]);
    expect(keysIn((await look(app, '/payments?metadata=branch%3Dwest', 'en')).body)).toEqual(['order-8']);
    const csv = (await app.inject({ url: '/payments.csv?customer=cus_42' })).body;
    expect(parseCsv(csv)[1]?.at(-1)).toBe('{"branch":"west","customer":"cus_42"}');
    const wrong = await look(app, '/payments?customer=O%27Hara', 'en');
    expect(wrong.text).toContain("Customer: “O'Hara” cannot be read.");
  });

  test.each<[string, readonly string[]]>([
    ['q=boots', ['order-3', 'order-1']],
    ['q=1250.50', ['other-4']],
    ['money=settled', ['order-3']],
    ['account=west&sort=amount', ['order-2', 'order-3']],
    ['amountFrom=0,20&amountTo=25', ['order-3', 'order-1']],
    // The day is the one in Toronto, where the second order began on the day before its UTC date.
    ['from=2026-03-01&to=2026-03-01', ['order-2', 'order-1']],
    ['endedFrom=2026-03-01&endedTo=2026-03-01', ['order-2']],
    ['sort=-amount', ['other-4', 'order-1', 'order-3', 'order-2', 'other-5']],
    ['sort=ended&money=unpaid', ['other-5']],
  ])('contains the matching payments in the right order for %s', async (query, keys) => {
    const { app } = await paymentsConsole();
    expect(keysIn((await look(app, `/payments?${query}`)).body)).toEqual(keys);
  });

  test('separates money in and money out in its sums, next to each amount, and by a filter', async () => {
    const { app, ledger } = await paymentsConsole();
    expect((await addedUp(app, 'en')).text).not.toContain('$1,275.80 CAD Money out');
    const request = { ...credit(), amount: 12.5 };
    await ledger.claim({ ...CLAIM, key: 'out-6', at: '2026-03-05T12:00:00.000Z', request });
    const own = await paymentsConsole({}, 'UTC', ledger);
    const { text } = await addedUp(own.app, 'en');
    expect(text).toContain(
      '6 payments Money in $1,275.80 CAD (of which $1,250.50 CAD came back) Money out $12.50 CAD (5 with a known amount)',
    );
    expect(text).toContain('out-6 $12.50 CAD Money out Being created');
    expect((await addedUp(own.app, 'fr')).text).toContain('Argent reçu');
    expect(keysIn((await look(own.app, '/payments?direction=CREDIT')).body)).toEqual(['out-6']);
    expect(keysIn((await look(own.app, '/payments?direction=DEBIT')).body)).toHaveLength(5);
    const [head = [], ...rows] = parseCsv((await look(own.app, '/payments.csv?direction=CREDIT')).body);
    expect(rows.map((row) => row[head.indexOf('direction')])).toEqual(['CREDIT']);
  });

  test('has all payments exactly once on its pages, for each sort order', async () => {
    const { app, ledger } = await paymentsConsole();
    for (const by of ['claimed', 'ended', 'amount'] as const) {
      const { next } = await ledger.payments.page({}, { size: 2, order: { by, direction: 'desc' } });
      const page = encodeURIComponent(`${next?.at}~${next?.claim}~${next?.key}`);
      const { body, statusCode } = await look(app, `/payments?sort=-${by}&page=${page}`);
      expect(statusCode).toBe(200);
      expect(keysIn(body)).toHaveLength(3);
      expect(body).toContain(`href="/payments?sort=-${by}"`);
    }
  });

  test.each([
    'money=gold',
    'kind=cheque',
    'direction=out',
    'amountFrom=12.345',
    'amountTo=-1',
    'from=2026-02-30',
    'endedTo=tomorrow',
    'sort=reference',
    'page=yesterday~1~a',
    'page=2026-13-45 00:00:00%2B00~1~a',
  ])('shows all payments and an error message for the invalid query %s', async (query) => {
    const { app } = await paymentsConsole();
    const { statusCode, body, text } = await look(app, `/payments?${query}`);
    expect(statusCode).toBe(400);
    expect(text).toContain('The filter is invalid; all payments are shown.');
    expect(text).toContain(`“${decodeURIComponent(query.split('=')[1] ?? '')}” cannot be read.`);
    expect(keysIn(body)).toHaveLength(5);
  });

  test('is downloaded with the filters and the sort order of the page, and with exact cents', async () => {
    const { app } = await paymentsConsole();
    const { body, headers } = await look(app, '/payments.csv?account=west&sort=amount');
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="payments.csv"',
    });
    const [head = [], ...rows] = parseCsv(body);
    const column = (name: string) => rows.map((row) => row[head.indexOf(name)]);
    expect(column('key')).toEqual(['order-2', 'order-3']);
    expect(column('amount')).toEqual(['0.10', '0.20']);
    expect(column('money')).toEqual(['paid', 'settled']);
    const mistaken = await look(app, '/payments.csv?money=gold');
    expect(mistaken.headers.location).toBe('/payments?money=gold');
  });

  test('is downloaded by a viewer without session ids, and the log names the viewer and the filters but no search text', async () => {
    const { app, ledger, lines } = await paymentsConsole();
    const { app: viewers, lines: logged } = await paymentsConsole({}, 'UTC', ledger, 'viewer');
    const idsIn = (body: string) => {
      const [head = [], ...rows] = parseCsv(body);
      return rows.map((row) => row[head.indexOf('sessionId')]).filter((id) => id !== '');
    };
    expect(idsIn((await look(app, '/payments.csv')).body)).not.toEqual([]);
    expect(lines).toEqual([expect.stringMatching(/Z Robin operator export - started$/)]);
    const account = encodeURIComponent('west\n2031-05-06 Sam');
    const narrowed = `/payments.csv?q=Avery&money=settled&from=2026-03-01&account=${account}`;
    expect(idsIn((await look(viewers, '/payments.csv')).body)).toEqual([]);
    await look(viewers, narrowed);
    expect(logged[1]?.split(' export - ')[1]).toBe(
      'started money=settled account="west\\n2031-05-06 Sam" from=2026-03-01 q="(set)"',
    );
  });

  test('answers random queries with the list or an error message, and never with a server error', async () => {
    const zones = ['UTC', 'Asia/Tokyo', 'America/Toronto'];
    const first = await paymentsConsole();
    const consoles = await Promise.all(zones.map((zone) => paymentsConsole({}, zone, first.ledger)));
    const two = (least: number, most: number) =>
      fc.integer({ min: least, max: most }).map((number) => String(number).padStart(2, '0'));
    const year = fc.oneof(
      fc.constantFrom('0000', '0001', '9999', '2026'),
      fc.string({ minLength: 4, maxLength: 4 }),
    );
    const day = fc.tuple(year, two(0, 14), two(0, 33)).map((parts) => parts.join('-'));
    const time = fc.tuple(two(0, 25), two(0, 61), two(0, 61)).map((parts) => parts.join(':'));
    const offset = fc.constantFrom('+00', '+15', '-16', '+23', '+00:00', '-15:59:59', 'Z');
    const fraction = fc.constantFrom('', '.1', '.123456', `.${'9'.repeat(200)}`);
    const place = fc
      .tuple(day, time, fraction, offset, fc.constantFrom('~1~a', '~999999~\u{10ffff}', '~1~\0'))
      .map(([on, at, part, zone, rest]) => `${on} ${at}${part}${zone}${rest}`);
    const values = {
      from: day,
      endedTo: day,
      page: fc.oneof(place, fc.constantFrom('-infinity~1~a', '1e400~1~a', `${'9'.repeat(20)}.5~1~a`)),
      sort: fc.constantFrom('claimed', '-ended', 'amount', 'x'),
      amountFrom: fc.constantFrom('0', '999999999999.99', '1e9', '-1', 'NaN'),
      q: fc.string({ unit: 'binary', maxLength: 10 }),
    };
    await fc.assert(
      fc.asyncProperty(fc.record(values, { requiredKeys: [] }), fc.nat(2), async (query, zone) => {
        const { app } = consoles[zone] ?? first;
        const { statusCode } = await look(app, `/payments?${new URLSearchParams(query).toString()}`);
        expect([200, 400]).toContain(statusCode);
      }),
      { seed: testSeed(), numRuns: 300 },
    );
  });

  test('is in French for readers of French', async () => {
    const { app } = await paymentsConsole();
    const { text } = await addedUp(app, 'fr');
    expect(text).toContain('5 paiements');
    expect(text).toContain('Arrivé 2026-03-03');
    expect(text).toContain('2026-03-01 22:00:00 HNE');
  });

  test('shows a message if the ledger does not answer, and is sent without waiting for slow sums', async () => {
    const away = () => Promise.reject(new PaysessionError('LEDGER_UNAVAILABLE', 'it is away'));
    const all = async function* () {
      yield await away();
    };
    const { app } = await paymentsConsole({ page: away, all });
    for (const address of ['/payments', '/payments.csv']) {
      const { statusCode, text } = await look(app, address);
      expect(statusCode).toBe(503);
      expect(text).toContain('LEDGER_UNAVAILABLE');
    }
    const slow = await paymentsConsole({ totals: () => new Promise<never>(() => undefined) });
    expect((await look(slow.app, '/payments')).text).toContain('Still adding up…');
  });

  test.each(['LEDGER_UNAVAILABLE', 'LEDGER_REFUSED'] as const)(
    'says on its live page that the ledger cannot be read: %s',
    async (code) => {
      const { app } = await paymentsConsole({
        page: () => Promise.reject(new PaysessionError(code, 'away')),
      });
      try {
        const url = await app.listen({ host: '127.0.0.1', port: 0 });
        const { body } = await fetch(`${url}/events/payments`);
        let text = '';
        for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? [])
          if ((text += chunk).includes(code)) break;
        expect(plain(text)).toContain(`The ledger cannot be read data: ${code} –`);
      } finally {
        await app.close();
      }
    },
  );

  test('has its sums added up one query at a time, so that PostgreSQL has processors left for lists', async () => {
    let goOn = (): void => undefined;
    const totals = jest.fn(async () => {
      await new Promise<void>((resolve) => (goOn = resolve));
      return { count: 0, sums: [] };
    });
    const { app } = await paymentsConsole({ totals });
    await Promise.all(
      ['west', 'default', 'west'].map((account) => look(app, `/payments?account=${account}`)),
    );
    expect(totals.mock.calls).toEqual([[{ account: 'west' }]]);
    goOn();
    await until(
      () => Promise.resolve(totals.mock.calls),
      ({ length }) => length === 2,
    );
    expect(totals.mock.calls[1]).toEqual([{ account: 'default' }]);
  });

  test('answers 404 if the console has no ledger', async () => {
    const { app } = consoleOf({} as Parameters<typeof consoleOf>[0]);
    const { statusCode, body } = await look(app, '/payments');
    expect(statusCode).toBe(404);
    expect(body).not.toContain('href="/payments"');
  });
});
