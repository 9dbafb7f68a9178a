import type { TokenStore } from '../clients/tokens';
import type { MovableClock } from '../clock/movable-clock';
import type { Keeping } from '../http/when-kept';
import type { CallLog } from '../observing/calls';
import type { Faults } from '../observing/faults';
import type { SandboxConfig } from '../options/options';
import type { SessionStore } from '../sessions/session-store';

/** What the control port controls. */
export interface ControlContext extends Keeping {
  readonly config: SandboxConfig;
  readonly clock: MovableClock;
  readonly tokens: TokenStore;
  readonly sessions: SessionStore;
  readonly calls: CallLog;
  readonly faults: Faults;
}
