import { historyFigures, type HistoryFigures } from '../figures/histories';
import { requestOf } from '../sides/request';
import { createPaymentWorld, type PaymentWorld } from '../../testkit';

/** What a session of days cost: counts alone, since its time is virtual. */
export interface LongSession extends HistoryFigures {
  readonly detailsCalls: number;
}

/** What happens to a session, and how long it takes at most. */
const FATES = {
  /** Nobody ever comes; the session is cancelled at its deadline. */
  abandoned: { lasts: '26h', happens: async () => Promise.resolve() },
  /** The bank account is validated, and the agreement never signed. */
  unsigned: {
    lasts: '31d',
    happens: (world: PaymentWorld, sessionId: string) => world.payor(sessionId).validatesBank(),
  },
} as const;

const DAYS_MS = 40 * 86_400_000;

/** A session that nobody finishes, of paysession's default policy, in virtual time; the service itself gives up later. */
export async function longSession(fate: keyof typeof FATES): Promise<LongSession> {
  const { lasts, happens } = FATES[fate];
  const world = await createPaymentWorld({ sandbox: { idleExpiryMs: DAYS_MS, absoluteExpiryMs: DAYS_MS } });
  try {
    const { session, sessionId } = await world.sessions.open({ key: fate, request: requestOf(fate) });
    await happens(world, sessionId);
    await world.advance(lasts);
    await session.result();
    const detailsCalls = world.service.audit({ route: 'details', sessionId }).length;
    return { ...(await historyFigures(world.client, session.workflowId)), detailsCalls };
  } finally {
    await world.close();
  }
}
