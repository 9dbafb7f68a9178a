import {
  standingOf,
  STANDINGS,
  type KnownOfSession,
  type Standing,
} from '../../../src/protocol/state/standing';
import type { StyledCell } from '../screen/table';
import { formatState } from '../screen/output';
import { colorsOf, type Screen } from '../screen/terminal';

type Style = (text: string) => string;

/** What colours a state: green is paid, red has failed, yellow needs a look or has ended without payment, cyan goes on. */
export const styleOf = (state: KnownOfSession, screen?: Screen): Style =>
  styleOfStanding(standingOf(state), screen);

export function styleOfStanding(standing: Standing, screen: Screen = process.stdout): Style {
  const { green, red, yellow, cyan } = colorsOf(screen);
  switch (STANDINGS[standing]) {
    case 'good':
      return green;
    case 'bad':
      return red;
    case 'busy':
      return cyan;
    case 'attention':
    case 'quiet':
      return yellow;
  }
}

/** A state as a table's cell. */
export const stateCell = (state: KnownOfSession): StyledCell => ({
  text: formatState(state),
  style: styleOf(state),
});

/** A state on a line. */
export const styledState = (state: KnownOfSession): string => styleOf(state)(formatState(state));
