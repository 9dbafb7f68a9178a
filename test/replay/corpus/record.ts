/**
 * Plays all scenes on real Temporal servers, and records their histories. Run it with `npm run record:histories`. Names after `--`
 * select scenes. As in `paysession export`, texts in the histories are replaced by made-up ones.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isPaysessionError, type SessionState, type StateHistoryEntry } from '../../../src';
import { startTemporalServer } from '../../../src/temporal-server';
import { exportSession } from '../../../testkit';
import { WORKFLOW_ID_PREFIX } from '../../../src/protocol/names';
import { testBundle } from '../../support/setup/global-values';
import globalSetup from '../../support/setup/global-setup';
import globalTeardown from '../../support/setup/global-teardown';
import { endingOf, failedUnheard, type Ending } from './ending';
import { temporalOf, type Scene, type Stage } from './scene';
import { SCENES } from './scenes';
import { onLiveStage, onVirtualStage } from './stages';
import { HISTORIES, runNames, TABLE_FILE, type Row, type Table } from './table';
import { SEARCH_ATTRIBUTES } from '../../../src/protocol/temporal/search-attributes';
import { formatFile } from '../../support/format-file';

const AT_ONCE = 3;

interface TemporalServers {
  readonly usual: string;
  /** Address of the server that suggests to continue as new after forty events. */
  readonly continuing: string;
}

/** Plays a scene and writes the histories of its runs. */
async function record(name: string, scene: Scene, temporalServers: TemporalServers): Promise<Table> {
  const rows: Record<string, Row> = {};
  const keep = async (stage: Stage): Promise<void> => {
    const endings = await endingsOf(stage);
    const expected = [...(scene.before ?? []), scene.expected];
    if (!isDeepStrictEqual(endings, expected))
      throw new Error(`it came to ${JSON.stringify(endings)}, not to ${JSON.stringify(expected)}`);
    const runs = await exportSession(stage.client, stage.key, { seed: name });
    const names = runNames(name, runs.length);
    for (const [index, { json, events }] of runs.entries()) {
      const run = names[index] ?? name;
      await writeFile(join(HISTORIES, `${run}.json`), `${JSON.stringify(JSON.parse(json))}\n`);
      const ending = endings[index] ?? scene.expected;
      rows[run] = { tells: scene.tells, temporal: temporalOf(scene), events, expected: ending };
    }
  };
  if ('play' in scene) {
    const address = scene.continues === true ? temporalServers.continuing : temporalServers.usual;
    await onLiveStage(name, scene, address, async (stage) => {
      await scene.play(stage);
      await keep(stage);
    });
  } else {
    await onVirtualStage(name, scene, testBundle(), async (stage) => {
      await scene.playInVirtualTime(stage);
      await keep(stage);
    });
  }
  return rows;
}

/** Returns the last state of each run, oldest first. A worker answers the queries, also those of earlier runs. */
async function endingsOf({ client, key, sessions }: Stage): Promise<readonly Ending[]> {
  const workflowId = `${WORKFLOW_ID_PREFIX}${key}`;
  const endings: Ending[] = [];
  let runId = await runBefore(undefined);
  while (runId !== undefined) {
    const run = client.workflow.getHandle(workflowId, runId);
    const state = await run.query<SessionState>('state');
    endings.unshift(endingOf(state, await run.query<StateHistoryEntry[]>('stateHistory')));
    runId = await runBefore(runId);
  }
  const session = sessions.get(key);
  try {
    endings.push(endingOf(await session.state(), await session.stateHistory()));
  } catch (error) {
    if (!isPaysessionError(error, 'INVALID_INPUT')) throw error;
    endings.push(failedUnheard(error.code));
  }
  return endings;

  async function runBefore(later: string | undefined): Promise<string | undefined> {
    const { events } = await client.workflow.getHandle(workflowId, later).fetchHistory();
    return events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
  }
}

async function recordAll(
  scenes: readonly (readonly [string, Scene])[],
  temporalServers: TemporalServers,
): Promise<Table> {
  const waiting = [...scenes];
  const table: Record<string, Row> = {};
  const failed: string[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [name, scene] = next;
      try {
        const rows = await record(name, scene, temporalServers);
        Object.assign(table, rows);
        console.log(
          `${name}: ${Object.values(rows)
            .map(({ events }) => events)
            .join(' + ')} events`,
        );
      } catch (error) {
        failed.push(name);
        console.error(`${name}:`, error);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (failed.length > 0) {
    process.exitCode = 1;
    console.error(`Not recorded: ${failed.join(', ')}`);
  }
  return table;
}

async function main(names: readonly string[]): Promise<void> {
  const unknown = names.filter((name) => SCENES[name] === undefined);
  if (unknown.length > 0) throw new Error(`there is no such scene: ${unknown.join(', ')}`);
  const scenes = Object.entries(SCENES).filter(([name]) => names.length === 0 || names.includes(name));
  await mkdir(HISTORIES, { recursive: true });
  const kept = names.length === 0 ? await forget() : await readTable();
  await globalSetup();
  const executable = process.env['PAYSESSION_TEST_TEMPORAL_EXECUTABLE'];
  if (executable === undefined) throw new Error('needs Temporal servers of its own: unset TEMPORAL_ADDRESS');
  const continuing = await startTemporalServer({
    executable,
    searchAttributes: Object.values(SEARCH_ATTRIBUTES),
    dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': '40' },
  });
  try {
    const temporalServers = {
      usual: process.env['PAYSESSION_TEST_TEMPORAL'] ?? '',
      continuing: continuing.address,
    };
    const table = { ...kept, ...(await recordAll(scenes, temporalServers)) };
    const rows = Object.entries(table).sort(([one], [other]) => one.localeCompare(other));
    const json = JSON.stringify(Object.fromEntries(rows), null, 2);
    await writeFile(TABLE_FILE, json);
    formatFile(TABLE_FILE);
  } finally {
    await continuing.stop();
    await globalTeardown();
  }
}

/** Removes all recorded histories, so that no history stays after its scene was removed. */
async function forget(): Promise<Table> {
  for (const file of await readdir(HISTORIES)) await rm(join(HISTORIES, file));
  return {};
}

async function readTable(): Promise<Table> {
  return JSON.parse(await readFile(TABLE_FILE, 'utf8')) as Table;
}

void main(process.argv.slice(2));
