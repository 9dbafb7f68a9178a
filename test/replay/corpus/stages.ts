import type { PaymentSessionInput, SessionPolicy, SessionRequest } from '../../../src';
import { createPaymentWorld } from '../../../testkit';
import { createWorld } from '../../support/worlds/world';
import { QUICK } from './acts';
import type { LiveScene, LiveStage, Stage, VirtualScene, VirtualStage } from './scene';
import { startWorldLedger } from '../../../testkit/ledger-server';

/** Sets up a stage in real time, calls `use` with it, and takes it down. */
export async function onLiveStage(
  key: string,
  scene: LiveScene,
  temporalAddress: string,
  use: (stage: LiveStage) => Promise<void>,
): Promise<void> {
  const server = scene.hasLedger === true ? await startWorldLedger() : undefined;
  const ledger = server?.open({});
  const world = await createWorld({ ...scene.world, temporalAddress, ...(ledger && { ledger }) });
  try {
    await use({
      ...world,
      ...opening(key, world),
      startWorker: (options) => world.startWorker(options),
      stopWorker: () => world.stopWorker(),
      other: (request) => world.input(request),
    });
  } finally {
    await world.close();
    await ledger?.close();
    await server?.stop();
  }
}

export async function onVirtualStage(
  key: string,
  scene: VirtualScene,
  bundlePath: string,
  use: (stage: VirtualStage) => Promise<void>,
): Promise<void> {
  const world = await createPaymentWorld({
    bundlePath,
    ...(scene.sandbox !== undefined && { sandbox: scene.sandbox }),
  });
  try {
    await use({
      ...world,
      ...opening(key, world),
      payor: (sessionId) => world.payor(sessionId),
      advance: (duration) => world.advance(duration),
    });
  } finally {
    await world.close();
  }
}

function opening(key: string, { sessions }: Pick<Stage, 'sessions'>): Pick<Stage, 'key' | 'input' | 'open'> {
  const input = (request: SessionRequest, policy?: SessionPolicy): PaymentSessionInput => ({
    key,
    request,
    policy: { ...(policy?.fastestPoll === undefined && QUICK), ...policy },
  });
  return { key, input, open: (request, policy) => sessions.open(input(request, policy)) };
}
