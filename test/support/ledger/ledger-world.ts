import type { LedgerFact } from '../../../ledger';
import type { PaymentSessionInput } from '../../../src';
import { workflowIdOf, WORKFLOW_TYPE } from '../../../src/protocol/names';
import { createWorld, type World, type WorldOptions } from '../worlds/world';
import { closesLater, testLedger, type TestLedger } from './test-ledger';

/** A world whose worker has a ledger. */
export interface LedgerWorld extends World, TestLedger {
  /** Returns the facts that the ledger has recorded about a session, oldest first. */
  factsOf(session: { readonly key: string }): Promise<readonly LedgerFact[]>;
  /** Returns the number of create requests that have reached the payment service. */
  creates(): number;
}

/** Starts a world whose worker has a new ledger. The world closes when the test ends. */
export async function ledgerWorld(options: WorldOptions = {}): Promise<LedgerWorld> {
  const own = await testLedger();
  return worldOn(own, options);
}

/** Starts a world whose worker has an existing ledger. The world closes when the test ends. */
export async function worldOn(own: TestLedger, options: WorldOptions = {}): Promise<LedgerWorld> {
  const world = await createWorld({ ledger: own.ledger, ...options });
  closesLater(() => world.close());
  return {
    ...world,
    ...own,
    factsOf: async ({ key }) => (await own.ledger.entriesOf(key)).map(({ fact }) => fact),
    creates: () => world.sandbox.calls.filter(({ route }) => route === 'create').length,
  };
}

/** Starts a second workflow for a key whose workflow has ended, as a program with another SDK can. Waits for its end. */
export async function runAgain({ client, taskQueue }: World, input: PaymentSessionInput): Promise<void> {
  const workflowId = workflowIdOf(input.key);
  const options = { workflowId, taskQueue, args: [input], workflowIdReusePolicy: 'ALLOW_DUPLICATE' } as const;
  const handle = await client.workflow.start(WORKFLOW_TYPE, options);
  await handle.result().catch(() => undefined);
}
