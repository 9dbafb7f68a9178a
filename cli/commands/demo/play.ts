import type { PaymentSessions } from '../../../src/sessions';
import type { StateHistoryEntry } from '../../../src/protocol/recorded';
import { watchStates } from '../../shared/session/watch-states';
import type { Board } from './board';
import { DEMO_POLICY, type Scene } from './scenes';

/** How a scene went. */
export interface Performance {
  readonly scene: Scene;
  readonly stateHistory: readonly StateHistoryEntry[];
  readonly asExpected: boolean;
}

/** Plays all scenes at once, each a payment session from its start to its end. */
export function play(
  sessions: PaymentSessions,
  scenes: readonly Scene[],
  board: Board,
): Promise<Performance[]> {
  return Promise.all(scenes.map((scene) => playScene(sessions, scene, board)));
}

async function playScene(sessions: PaymentSessions, scene: Scene, board: Board): Promise<Performance> {
  const { session } = await sessions.open({ key: scene.key, request: scene.request, policy: DEMO_POLICY });
  const cancelled = scene.cancels ? session.cancel() : Promise.resolve();
  for await (const { entries } of watchStates(session)) {
    for (const entry of entries) board.show(scene, entry);
  }
  await cancelled;
  const { status, code, stateHistory } = await session.result();
  return { scene, stateHistory, asExpected: status === scene.endsAs.status && code === scene.endsAs.code };
}
