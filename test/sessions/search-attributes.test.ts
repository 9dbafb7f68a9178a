import { describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { PaymentSessions, SEARCH_ATTRIBUTES, type PaymentSessionInput } from '../../src';
import { startEngine } from '../../engine';
import { completing, eTransfer, leftOpen } from '../support/requests';
import { use } from '../support/worlds/use';
import { useWorld } from '../support/worlds/use-world';
import type { World } from '../support/worlds/world';

type Fields = Readonly<Record<string, { readonly data?: Uint8Array | null }>>;
type Attributes = Readonly<Record<string, unknown>>;

/** The search attributes that a session was started with, and what its workflow changed of them, one entry a change. */
async function attributesIn(world: World, workflowId: string) {
  const { events } = await world.client.workflow.getHandle(workflowId).fetchHistory();
  const read = (fields: Fields | null | undefined): Attributes =>
    Object.fromEntries(
      Object.entries(fields ?? {}).map(([name, { data }]) => [
        name,
        JSON.parse(Buffer.from(data ?? []).toString()) as unknown,
      ]),
    );
  const started = events?.[0]?.workflowExecutionStartedEventAttributes;
  const upserts = (events ?? []).flatMap((event) => {
    const upsert = event.upsertWorkflowSearchAttributesEventAttributes;
    return upsert == null ? [] : [read(upsert.searchAttributes?.indexedFields)];
  });
  return { atStart: read(started?.searchAttributes?.indexedFields), changes: upserts };
}

/** As another SDK would start it. */
const startPlainly = (world: World, input: PaymentSessionInput, attributes: Attributes = {}) =>
  world.client.workflow.start('paymentSession', {
    workflowId: `payment-session/${input.key}`,
    taskQueue: world.taskQueue,
    args: [input],
    typedSearchAttributes: Object.entries(attributes).map(([name, value]) => ({
      key: { name, type: 'KEYWORD' as const },
      value: String(value),
    })),
  });

const { kind, reference, status, code } = SEARCH_ATTRIBUTES;

describe('what Temporal’s search knows of a session', () => {
  const world = useWorld();

  test('of its input it knows from the start; its workflow adds each change of state and nothing else', async () => {
    const session = await world.sessions.start(world.input(completing(eTransfer)));
    const { stateHistory } = await session.result();
    const { atStart, changes } = await attributesIn(world, session.workflowId);
    expect(atStart).toEqual({ [kind]: 'e-Transfer', [reference]: 'sandbox-completes' });
    expect(changes).toEqual(
      stateHistory.map((state) => ({ [status]: state.status, [code]: state.code ?? null })),
    );
  });

  test('is added by the workflow where whoever started it left it out', async () => {
    const input = world.input(leftOpen());
    const { workflowId } = await startPlainly(world, input);
    await world.sessions.get(input.key).opened();
    const { atStart, changes } = await attributesIn(world, workflowId);
    expect(atStart).toEqual({});
    expect(changes[0]).toEqual({ [kind]: 'EFT', [reference]: 'sandbox-stays-initiated' });
    await world.sessions.get(input.key).cancelAndWait();
  });

  test('is no reference that the policy keeps from it, whoever says it', async () => {
    const hidden = world.input(leftOpen(), { indexReference: false });
    const { session } = await world.sessions.open(hidden);
    expect((await attributesIn(world, session.workflowId)).atStart).toEqual({ [kind]: 'EFT' });
    const told = world.input(leftOpen(), { indexReference: false });
    const attributes = { [kind]: 'EFT', [reference]: 'told' };
    const { workflowId } = await startPlainly(world, told, attributes);
    await world.sessions.get(told.key).opened();
    expect((await attributesIn(world, workflowId)).changes[0]).toEqual({ [reference]: null });
    await Promise.all([session.cancelAndWait(), world.sessions.get(told.key).cancelAndWait()]);
  });
});

describe('in a namespace that no worker has served yet', () => {
  const engine = use(
    () => startEngine({ executable: process.env['PAYSESSION_TEST_ENGINE_EXECUTABLE'] ?? '' }),
    (started) => started.stop(),
  );

  test('a session is started all the same, also by a call that waits for it to open', async () => {
    const connection = await Connection.connect({ address: engine.address });
    try {
      const sessions = new PaymentSessions(new Client({ connection }), { openTimeoutMs: 500 });
      const started = await sessions.start({ key: 'first', request: leftOpen() });
      expect(started.workflowId).toBe('payment-session/first');
      const opening = sessions.open({ key: 'second', request: leftOpen() });
      await expect(opening).rejects.toMatchObject({ code: 'SESSION_STILL_OPENING' });
    } finally {
      await connection.close();
    }
  });
});
