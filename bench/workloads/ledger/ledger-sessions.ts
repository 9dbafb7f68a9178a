import { PaymentLedger } from '../../../ledger';
import { spread, type Spread } from '../../figures/quantiles';
import { requestOf } from '../../sides/request';
import { startSide, type Side } from '../../sides/side';
import { endedOn, paceOf, type EndedSessions, type SessionFigures } from '../ended-sessions';

/** The cost of a session on a worker with a ledger. */
export interface LedgerFigures extends SessionFigures {
  /** The additional history events and billable actions per session, compared with a worker without a ledger. */
  readonly moreEvents: number;
  readonly moreActions: number;
  /** The duration of a claim of a new key, in milliseconds. A claim records in the ledger that the key is taken. */
  readonly claimMs: Spread;
}

const WITHOUT = 'without a ledger';
/**
 * The number of measured claims. They are made one after the other. Each is like the claim that a worker makes before a
 * create request.
 */
const CLAIMS = 300;

/**
 * Runs sessions that the service completes after a while. One worker has a ledger, and another worker has none. Both
 * run at the same time.
 */
export async function ledgerSessions(
  workload: EndedSessions,
): Promise<{ readonly paysession: LedgerFigures; readonly [WITHOUT]: SessionFigures }> {
  const sides: Side[] = [];
  const sandbox = { paceMs: paceOf(workload) };
  try {
    const own = await startSide('paysession', { sandbox, ledger: true });
    sides.push(own);
    sides.push(await startSide('paysession', { sandbox }));
    const [withLedger, without] = await endedOn(sides, workload);
    if (withLedger === undefined || without === undefined) throw new Error('a side is missing');
    const moreEvents = withLedger.events - without.events;
    const moreActions = withLedger.actions - without.actions;
    const claimMs = await claims(own.ledgerUrl ?? '');
    return { paysession: { ...withLedger, moreEvents, moreActions, claimMs }, [WITHOUT]: without };
  } finally {
    await Promise.all(sides.map((side) => side.stop()));
  }
}

/** Claims new keys in the ledger with this URL, and returns how long the claims took, in milliseconds. */
async function claims(url: string): Promise<Spread> {
  const ledger = new PaymentLedger({ url });
  try {
    const tookMs: number[] = [];
    for (let number = 0; number < CLAIMS; number += 1) {
      const key = `claimed-${number}`;
      const startedAtMs = performance.now();
      await ledger.claim({
        key,
        fingerprint: key,
        firstRunId: key,
        account: 'default',
        request: requestOf(key),
        at: new Date().toISOString(),
      });
      tookMs.push(performance.now() - startedAtMs);
    }
    return spread(tookMs);
  } finally {
    await ledger.close();
  }
}
