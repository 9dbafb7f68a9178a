/** Every name on which recorded histories, users' code, settings, dashboards or scripts depend. A released name must stay. */
import type { Command } from 'commander';
import { createProgram } from '../../cli/program';
import { ERROR_CODES, type ErrorCode } from '../../src/errors';
import { SESSION_CODES, SESSION_STATUSES, SESSION_KINDS } from '../../src/contract/statuses';
import {
  ANSWERED_PHASE,
  ASKED_AMOUNT,
  ASKED_DIRECTION,
  CHANGED_SIGNAL,
  DEFAULT_ACCOUNT,
  DEFAULT_TASK_QUEUE,
  MESSAGES,
  TELLS_PARENT,
  WORKFLOW_ID_PREFIX,
  WORKFLOW_TYPE,
} from '../../src/protocol/names';
import { PROBLEMS } from '../../src/protocol/state/problems';
import { SESSION_PHASES } from '../../src/protocol/state/recorded';
import { SETTINGS } from '../../src/settings';
import { METRICS } from '../../worker/observing/metrics-table';
import * as root from '../../src';
import * as contract from '../../src/contract/public';
import * as activities from '../../activities';
import * as nexus from '../../src/nexus';
import * as sandbox from '../../sandbox';
import * as testing from '../../testkit';
import * as worker from '../../worker';
import * as workflows from '../../workflows';
import { SEARCH_ATTRIBUTES } from '../../src/protocol/temporal/search-attributes';

const ENTRIES: readonly (readonly [string, object])[] = Object.entries({
  paysession: root,
  'paysession/contract': contract,
  'paysession/workflows': workflows,
  'paysession/activities': activities,
  'paysession/nexus': nexus,
  'paysession/worker': worker,
  'paysession/sandbox': sandbox,
  'paysession/testing': testing,
});

/** Names by their subject. */
export type Names = Readonly<Record<string, readonly string[]>>;

/** Returns the names of this version, sorted. */
export function namesOfThisVersion(): Names {
  return sorted({
    workflow: [WORKFLOW_TYPE, WORKFLOW_ID_PREFIX, DEFAULT_TASK_QUEUE, DEFAULT_ACCOUNT],
    messages: [...Object.values(MESSAGES), CHANGED_SIGNAL],
    memo: [ASKED_AMOUNT, ASKED_DIRECTION, TELLS_PARENT],
    searchAttributes: Object.values(SEARCH_ATTRIBUTES),
    phases: [...SESSION_PHASES, ANSWERED_PHASE],
    kinds: SESSION_KINDS,
    statuses: SESSION_STATUSES,
    codes: Object.keys(SESSION_CODES),
    problems: Object.keys(PROBLEMS),
    errorCodes: Object.entries(ERROR_CODES).map(([code, row]) => `${code} ${exitOf(row)}`),
    settings: SETTINGS.map(({ name }) => name),
    metrics: METRICS.map(({ name }) => name),
    commands: commandsOf(createProgram()),
    exports: ENTRIES.flatMap(([entry, exported]) => Object.keys(exported).map((name) => `${entry} ${name}`)),
  });
}

/** Returns the commands and their flags. The name of a command in a group begins with the group's name. */
function commandsOf(program: Command, path = ''): string[] {
  return program.commands.flatMap((command) => {
    const name = `${path}${command.name()}`;
    const flags = command.options.map(({ long, short }) => `${name} ${long ?? short}`);
    return [name, ...flags, ...commandsOf(command, `${name} `)];
  });
}

/** Returns the recorded names together with the names of this version. A recorded name stays, even if this version lacks it. */
export function joined(recorded: Names, now: Names): Names {
  const subjects = new Set([...Object.keys(recorded), ...Object.keys(now)]);
  return sorted(
    Object.fromEntries(
      [...subjects].map((subject) => [subject, [...(recorded[subject] ?? []), ...(now[subject] ?? [])]]),
    ),
  );
}

const exitOf = (row: (typeof ERROR_CODES)[ErrorCode]): string => ('exit' in row ? row.exit : 'other');

function sorted(names: Names): Names {
  return Object.fromEntries(
    Object.entries(names).map(([subject, list]) => [subject, [...new Set(list)].sort()]),
  );
}
