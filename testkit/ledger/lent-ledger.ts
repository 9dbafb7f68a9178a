import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** The variable that tells test processes where the URL of a ledger is told. */
export const KEPT_LEDGER = 'PAYSESSION_TESTING_LEDGER';

/** The URL of a ledger that the test runner keeps; `undefined` where it keeps none, or none could be started. */
export async function borrowLedger(): Promise<string | undefined> {
  const path = process.env[KEPT_LEDGER];
  if (path === undefined || path === '') return undefined;
  // A runner that has ended tells nothing.
  const said = await text(connect(path)).catch(() => '');
  return said === '' ? undefined : said;
}
