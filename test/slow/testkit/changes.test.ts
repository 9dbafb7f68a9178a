import { expect, test } from '@jest/globals';
import { leftOpen } from '../../support/requests';
import { usePaymentWorld } from '../../support/worlds/payment-world';

const world = usePaymentWorld();

test('in a payment world, virtual time goes on while a caller waits for a session’s changes', async () => {
  const { session } = await world.sessions.open({
    key: 'watched',
    request: leftOpen(),
    policy: { fastestPoll: '5m' },
  });
  const phases: string[] = [];
  const watched = (async () => {
    for await (const { phase } of session.changes()) phases.push(phase);
  })();
  await world.advance('26h');
  await watched;
  expect(phases.filter((phase) => phase !== 'cancelling')).toEqual(['open', 'ended']);
});
