import { join } from 'node:path';
import type { Ending } from './ending';
import type { TemporalName } from './scene';

/** A row of `histories.expected.json`: the Temporal server on which a run was recorded, and the run’s last state. */
export interface Row {
  readonly tells: string;
  readonly temporal: TemporalName;
  readonly events: number;
  readonly expected: Ending;
}

/** Rows by the names of their histories. */
export type Table = Readonly<Record<string, Row>>;

export const HISTORIES = join(__dirname, '..', 'histories');
export const TABLE_FILE = join(__dirname, '..', 'histories.expected.json');

/** Returns the names of a scene’s histories. There is one history for each workflow run. */
export function runNames(scene: string, runs: number): readonly string[] {
  return runs === 1 ? [scene] : Array.from({ length: runs }, (_, index) => `${scene}.${index + 1}`);
}
