import { describe, expect, test } from '@jest/globals';
import { PaysessionError, type ErrorCode } from '../../../src/errors';
import type { TemporalNamespace } from '../../../src/sessions/temporal-values';
import { checkLedger, type CheckedLedger, type LedgerUser } from '../../../worker/session-ledger';

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
  test('does not warn if the environment is only its namespace’s, and the ledger encrypts if the worker does', async () => {
    expect(await warnings()).toEqual([]);
    expect(await warnings({ isEncrypted: false }, { encrypts: false })).toEqual([]);
    expect(await warnings({ environment: 'default' }, { namespace: { name: 'default', id: '1' } })).toEqual(
      [],
    );
  });

  test('warns of the environment `default`, which several namespaces might share', async () => {
    expect(await warnings({ environment: 'default' })).toEqual([expect.stringContaining('name it')]);
  });

  test('warns of workers of another namespace in the same environment, even if the namespace has the same name', async () => {
    const other = namespaces({ name: 'shop', id: '2' });
    expect(await warnings({ namespaces: other })).toEqual([
      expect.stringContaining('Give each namespace an environment of its own'),
    ]);
  });

  test('warns of workers of its namespace in another environment', async () => {
    const divided = { strangers: [], elsewhere: [], divided: ['shop-2'] };
    const other = { ...namespaces(), misfitOf: () => Promise.resolve(divided) };
    expect(await warnings({ namespaces: other })).toEqual([
      expect.stringMatching(/environment shop .*recorded in shop-2 .*Give them the same environment/),
    ]);
  });

  test('warns of a ledger that does not encrypt if the worker does', async () => {
    expect(await warnings({ isEncrypted: false })).toEqual([expect.stringContaining('give it `encryption`')]);
  });

  test('starts with a warning if the ledger is away, and fails if the ledger cannot be used', async () => {
    expect(await warnings({ check: failing('LEDGER_UNAVAILABLE') })).toEqual([
      'no session is created yet: it says why',
    ]);
    const outdated = warnings({ check: failing('LEDGER_SCHEMA_OUTDATED') });
    await expect(outdated).rejects.toMatchObject({ code: 'LEDGER_SCHEMA_OUTDATED' });
  });
});
