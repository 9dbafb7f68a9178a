import { describe, expect, test } from '@jest/globals';
import { PaysessionError, type ErrorCode } from '../../../src/errors';
import type { TemporalNamespace } from '../../../src/sessions/temporal-values';
import { checkLedger, type CheckedLedger, type LedgerUser } from '../../../worker/session-ledger';

// A ledger has environments. The workers of one Temporal namespace use one environment of the ledger.
const namespaces = (...strangers: readonly TemporalNamespace[]): CheckedLedger['namespaces'] => ({
  misfitOf: () => Promise.resolve({ strangers, elsewhere: [], divided: [] }),
  register: () => Promise.resolve(),
});
const OWN: CheckedLedger = {
  environment: 'shop',
  isEncrypted: true,
  check: () => Promise.resolve(),
  namespaces: namespaces(),
};
const USER: LedgerUser = { namespace: { name: 'shop', id: '1' }, encrypts: true };

/** Returns the warnings of a worker that checks its ledger. */
async function warnings(ledger: Partial<CheckedLedger> = {}, user: Partial<LedgerUser> = {}) {
  const logged: string[] = [];
  await checkLedger({ ...OWN, ...ledger }, { ...USER, ...user }, (message) => logged.push(message));
  return logged;
}

const failing = (code: ErrorCode) => () => Promise.reject(new PaysessionError(code, 'it says why'));

describe('a worker that checks its ledger', () => {
  test('does not warn if no other namespace uses the environment, and the ledger encrypts as the worker does', async () => {
    expect(await warnings()).toEqual([]);
    expect(await warnings({ isEncrypted: false }, { encrypts: false })).toEqual([]);
    expect(await warnings({ environment: 'default' }, { namespace: { name: 'default', id: '1' } })).toEqual(
      [],
    );
  });

  test('warns of the environment `default`, because several namespaces may use it', async () => {
    expect(await warnings({ environment: 'default' })).toEqual([expect.stringContaining('name it')]);
  });

  test('warns if workers of another namespace use its environment, even if both namespaces have one name', async () => {
    const other = namespaces({ name: 'shop', id: '2' });
    expect(await warnings({ namespaces: other })).toEqual([
      expect.stringContaining('Give each namespace an environment of its own'),
    ]);
  });

  test('warns if workers of its namespace use another environment', async () => {
    const divided = { strangers: [], elsewhere: [], divided: ['shop-2'] };
    const other = { ...namespaces(), misfitOf: () => Promise.resolve(divided) };
    expect(await warnings({ namespaces: other })).toEqual([
      expect.stringMatching(/environment shop .*recorded in shop-2 .*Give them the same environment/),
    ]);
  });

  test('warns if it encrypts, and the ledger does not', async () => {
    expect(await warnings({ isEncrypted: false })).toEqual([expect.stringContaining('give it `encryption`')]);
  });

  test('starts with a warning if the ledger is unavailable, and fails if the ledger is unusable', async () => {
    expect(await warnings({ check: failing('LEDGER_UNAVAILABLE') })).toEqual([
      'no session is created yet: it says why',
    ]);
    const outdated = warnings({ check: failing('LEDGER_SCHEMA_OUTDATED') });
    await expect(outdated).rejects.toMatchObject({ code: 'LEDGER_SCHEMA_OUTDATED' });
  });
});
