import type { Said } from './check-rows';
import { placeOf, type ModelWorld } from './world';

/**
 * Checks that the newest webhook about a session agrees with the session's row. After a restore, the ledger gives the numbers of
 * lost entries to new ones, so only webhooks since the last restore are compared.
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
    // The webhook of the opening lacks the first state, which the ledger records after the opening.
    const isFirst = newest.type === 'session.opened' && status === undefined && row.status === 'Initiated';
    const told = [newest.data.key, ...(isFirst ? [row.status, row.code] : [status, code]), paid];
    const shown = [key, row.status, row.code, row.paid];
    // A claim that does not have the key sends only webhooks about money, and not about its end.
    const isOfEnd = standing.get(key)?.claim === row.claim;
    // A workflow that is reset after its end claims its key again. This entry reopens the session, and sends no webhook.
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
