import { awaitsSignature, type SessionStatus } from '../../src/contract';
import type { Html } from '../../web/html';
import { badge, type Tone } from '../../web/shell/parts';
import type { SandboxSessionState } from '../sessions/transitions';

const TONES: Readonly<Record<SessionStatus, Tone>> = {
  Initiated: 'busy',
  Completed: 'good',
  Failed: 'bad',
  Cancelled: 'quiet',
  Expired: 'quiet',
};

/** A session's status, with its code where it has one. */
export const stateBadge = (state: SandboxSessionState): Html =>
  badge(
    state.code === undefined ? state.status : `${state.status} ${state.code}`,
    awaitsSignature(state) ? 'attention' : TONES[state.status],
  );
