import { userInfo } from 'node:os';
import { Option, type Command } from 'commander';
import type { Decision } from '../../src/protocol/state/recorded';
import { textUpTo } from './parse-arguments';
import { relativeSuffix, type Screen } from './terminal';
import { MAX_DECIDER_LENGTH, MAX_REASON_LENGTH } from '../../src/protocol/decisions';

/**
 * Adds the options `--by`, the name of the person who decides, and `--reason`. The default of `--by` is this machine's user.
 *
 * @param who the description of `--by` in the help
 */
export function addDecidedBy(command: Command, who = 'name of the person who decided'): Command {
  return command
    .addOption(new Option('--by <name>', who).default(machineUser(), 'your user name'))
    .option('--reason <text>', 'the reason');
}

/** Adds the required options `--by` and `--reason`, for an action that the ledger records. `who` and `reason` are their descriptions in the help. */
export function requireDecidedBy(command: Command, who: string, reason: string): Command {
  return command
    .requiredOption('--by <name>', who, textUpTo(MAX_DECIDER_LENGTH))
    .requiredOption('--reason <text>', reason, textUpTo(MAX_REASON_LENGTH));
}

/** Describes a decision, such as `retry by avery: applied, "not there" (2031-05-06T14:03:21.114Z)`. */
export function formatDecision(decision: Decision, screen: Screen): string {
  const { by, result, followedBy, maybeFollowedBy, reason, at } = decision;
  const who = by === undefined ? '' : ` by ${by}`;
  const why = reason === undefined ? '' : `, "${reason}"`;
  const key = followedBy ?? maybeFollowedBy;
  const other = key === undefined ? '' : ` (by ${key})`;
  return `${whatWasDecided(decision)}${who}: ${result}${other}${why} (${at}${relativeSuffix(at, screen)})`;
}

/** Returns the name of the decision, such as `retry` or `cancel`. For `adopt`, adds the session's id. */
export const whatWasDecided = ({ decision, sessionId = '' }: Decision): string =>
  `${decision} ${sessionId}`.trimEnd();

/** Returns the name of this machine's user. Returns `undefined` if the user has no name, as in some containers. */
export function machineUser(): string | undefined {
  try {
    return userInfo().username || undefined;
  } catch {
    return undefined;
  }
}
