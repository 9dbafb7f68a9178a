import type { Said } from './check-rows';
import { placeOf, type ModelWorld } from './world';

/**
 * Checks that the newest webhook about a session agrees with the session’s row. Only webhooks since the last restore of the ledger
 * count, because new entries reuse the numbers of entries that the restore has removed.
 */
export function checkWebhooks(world: ModelWorld, { environment, listed, standing, entries }: Said): void {
  for (const row of listed) {
    const { sessionId, key } = row;
    if (sessionId === undefined) continue;
    const about = world.received.filter(
      ({ environment: name, event, restores }) =>
        name === environment.name &&
        restores === world.ledgerRestores &&
        event.data.state.sessionId?.toLowerCase() === sessionId,
    );
    const newest = about
      .toSorted((one, other) => one.event.data.number - other.event.data.number)
      .at(-1)?.event;
    if (newest === undefined) continue;
    const { status, code, paid, phase } = newest.data.state;
    // The webhook `session.opened` has no status yet: the ledger records the first state after the opening.
    const isFirst = newest.type === 'session.opened' && status === undefined && row.status === 'Initiated';
    const told = [newest.data.key, ...(isFirst ? [row.status, row.code] : [status, code]), paid];
    const shown = [key, row.status, row.code, row.paid];
    // A claim that has lost its key sends webhooks about money, but none about its end.
    const isOfEnd = standing.get(key)?.claim === row.claim;
    // A workflow that is reset after its end claims its key again. That entry reopens the session, but sends no webhook.
    const isReset = (entries.get(key) ?? []).some(
      ({ number, claim, fact }) =>
        number > newest.data.number && claim === row.claim && fact.kind === 'claimed',
    );
    const isOver = (phase === 'ended') === (row.outcome !== 'open') || isReset;
    if (JSON.stringify(told) !== JSON.stringify(shown) || (isOfEnd && !isOver))
      world.broken(
        `${placeOf(environment.name, key)}: the newest webhook says ${JSON.stringify([...told, phase])}, and the list ${JSON.stringify([...shown, row.outcome])}`,
      );
  }
}
