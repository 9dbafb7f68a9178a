import { describe, expect, test } from '@jest/globals';
import { eTransfer } from '../../../support/requests';
import { startRewritingProxy, type Rewrite } from '../../../support/service/rewriting-proxy';
import { stateOf } from '../../../support/wait';
import { useSandbox } from '../../../support/worlds/sandbox';
import { use } from '../../../support/worlds/use';
import { useWorld } from '../../../support/worlds/use-world';

/** Changes the bodies of the service’s answers. A test sets it. */
let rewrite: Rewrite = (body) => body;

const truth = useSandbox({ paceMs: 50, maxCalls: 100_000 });
const service = use(
  () => startRewritingProxy(truth.url, (body, path) => rewrite(body, path)),
  (proxy) => proxy.close(),
);
const world = useWorld(() => ({ account: { baseUrl: service.baseUrl } }));

const creates = () => truth.calls.filter(({ route, status }) => route === 'create' && status === 201);

const echoing =
  (change: (referenceId: string) => string): Rewrite =>
  (body) =>
    typeof body['referenceId'] === 'string' ? { ...body, referenceId: change(body['referenceId']) } : body;

async function start(referenceId: string, by: Rewrite, policy: 'park' | 'retry' = 'retry') {
  rewrite = by;
  const before = creates().length;
  const input = world.input(eTransfer(referenceId), { onUnknownCreate: policy });
  const session = await world.sessions.start(input);
  return {
    session,
    created: () =>
      creates()
        .slice(before)
        .map(({ sessionId }) => sessionId),
  };
}

// Contract rule A10 (docs/contract.md): the reference in an answer may differ from the request’s in white space and case.
describe('A10 if the service changes the white space and case of references', () => {
  test('its answers to create, details and cancel are believed', async () => {
    const { session, created } = await start(
      ' Commande É-5 ',
      echoing((text) => text.trim().toUpperCase()),
    );
    const { sessionId } = await session.opened();
    expect(created()).toEqual([sessionId]);
    expect(await session.refresh()).toMatchObject({ phase: 'open', anomalies: [] });
    expect(await session.cancelAndWait()).toMatchObject({ outcome: 'cancelled' });
  });
});

describe('if the service answers a create request with another payment’s reference,', () => {
  const another = echoing(() => 'somebody-else');

  test.each(['retry', 'park'] as const)(
    'the session sends only one create request, and is parked with the answered id (policy: %s)',
    async (policy) => {
      const { session, created } = await start('commande-5', another, policy);
      const { parks, trouble } = await stateOf(session, ({ phase }) => phase === 'parked');
      expect(created()).toHaveLength(1);
      expect(trouble).toMatchObject({ code: 'SERVICE_WRONG_SESSION' });
      expect(parks).toMatchObject([{ code: 'SERVICE_WRONG_SESSION', sessionId: created()[0] }]);
      await session.resolveCreate({ abandon: true });
      expect((await session.state()).anomalies).toMatchObject([
        { kind: 'wrongSession' },
        { kind: 'possibleOrphan', detail: expect.stringContaining(`session ${created()[0]}`) },
      ]);
    },
  );

  test('an operator can adopt the right session', async () => {
    const { session, created } = await start('commande-5', (body, path) =>
      path.endsWith('/sessions') ? another(body, path) : body,
    );
    const { parks } = await stateOf(session, ({ phase }) => phase === 'parked');
    const adopted = await session.resolveCreate({ sessionId: parks?.[0]?.sessionId ?? '' });
    expect(adopted).toMatchObject({ phase: 'open', sessionId: created()[0] });
    await session.cancelAndWait();
  });
});
