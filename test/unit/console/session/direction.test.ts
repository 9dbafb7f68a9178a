import { describe, expect, test } from '@jest/globals';
import { standingSection, todoSection } from '../../../../console/session/standing-section';
import type { SessionView } from '../../../../console/session/view';
import { moneyOf } from '../../../../src/sessions';
import { claimsOf } from '../../../../src/protocol/ledger/fold';
import { judgeClaim } from '../../../../ledger/judge-claim';
import { OPERATOR, plain, VIEWER, viewOf } from '../../../support/console/session-page';
import { CLAIM } from '../../../support/ledger/claim';
import { credit, eft } from '../../../support/requests';

// A76 is a rule of the contract (docs/contract.md).

const RETURNED = { kind: 'returned', at: '2026-06-01T00:00:00.000Z', amount: 25, code: 'NSF' } as const;
const paid = { phase: 'ended', paid: true, status: 'Completed' } as const;

/** Returns a session that was paid, and whose money came back with this code. */
function returned(request: unknown, code: string = RETURNED.code): SessionView {
  const { summary, ...view } = viewOf(request, paid);
  return {
    ...view,
    ...(summary && { summary: { ...summary, running: false } }),
    money: { returned: { ...RETURNED, code } },
  };
}

describe('the page of a session', () => {
  test.each([
    ['EN', eft(), 'Direction Money in'],
    ['EN', credit(), 'Direction Money out'],
    ['FR', credit(), 'Sens Argent versé'],
  ] as const)('says in %s which way the money goes', (language, request, words) => {
    expect(plain(standingSection(viewOf(request), { ...VIEWER, language }).text)).toContain(words);
  });

  test('says what to do about money that came back, by its direction', () => {
    const todo = (request: unknown) => plain(todoSection(returned(request, 'Z-9'), VIEWER).text);
    expect(todo(eft())).toContain('ask the payor for another payment');
    expect(todo(credit())).toContain('then pay them again under another key');
    expect(todo(credit())).not.toContain('Do not deliver');
  });

  test.each([
    ['EN', 'NSF', 'NSF – Not sufficient funds', 'Collect the amount once more'],
    ['FR', '901', '901 – Provision insuffisante', 'Demandez le montant une seule autre fois'],
    ['FR', 'DISPUTED', 'DISPUTED – Contesté par le payeur', 'Arrêtez tout de suite'],
    ['EN', 'Z-9', '2026-06-01 Z-9 Started', 'ask the payor for another payment'],
  ] as const)('A76 says in %s why money came back with %s, and what to do', (language, code, why, what) => {
    const view = returned(eft(), code);
    expect(plain(standingSection(view, { ...VIEWER, language }).text)).toContain(why);
    expect(plain(todoSection(view, { ...VIEWER, language }).text)).toContain(what);
  });

  test('asks an operator what was done about a return until the answer is recorded, and does not ask a viewer', () => {
    const view = returned(eft(), '901');
    expect(todoSection(view, OPERATOR).text).toContain('/sessions/order-1/handle');
    expect(todoSection(view, VIEWER).text).not.toContain('/handle');
    const handled = {
      kind: 'handled',
      at: '2026-06-02T00:00:00.000Z',
      by: 'ann',
      reason: 'by card',
    } as const;
    const done: SessionView = { ...view, money: { ...view.money, handled } };
    expect(plain(todoSection(done, OPERATOR).text)).not.toMatch(/Collect|Record what was done/);
    expect(plain(standingSection(done, OPERATOR).text)).toMatch(/Return handled .* \(ann\) by card/);
  });

  test('takes the direction from the ledger if the request cannot be read', () => {
    const { stored: _stored, ...view } = viewOf(undefined);
    const claims = claimsOf(judgeClaim([], { ...CLAIM, request: credit() }).add);
    const shown = { ...view, money: moneyOf(claims, { firstRunId: CLAIM.firstRunId }) };
    expect(plain(standingSection(shown, VIEWER).text)).toContain('Direction Money out');
  });
});

// The ledger has the money of a key's claims. A claim belongs to a session's first run.
describe('the money that the page of a run shows', () => {
  const first = judgeClaim([], CLAIM).add;
  const claims = claimsOf([...first, { claim: 1, fact: RETURNED }]);

  test('is the money of the run’s own claim', () => {
    expect(moneyOf(claims, { firstRunId: CLAIM.firstRunId })).toMatchObject({ returned: { code: 'NSF' } });
    expect(moneyOf(claims, { firstRunId: 'another' })).toEqual({});
  });

  test('is the money of the key if the ledger has answered the run’s create, or if only the ledger knows the session', () => {
    for (const run of [{ firstRunId: 'another', answered: true } as const, undefined])
      expect(moneyOf(claims, run)).toMatchObject({ returned: { code: 'NSF' } });
  });
});
