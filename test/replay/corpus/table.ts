import { join } from 'node:path';
import type { Ending } from './ending';
import type { TemporalName } from './scene';

/** The corpus's facts about a recorded run: its Temporal server and its end. */
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

/** Returns the names of a scene's histories, one for each run. */
export function runNames(scene: string, runs: number): readonly string[] {
  return runs === 1 ? [scene] : Array.from({ length: runs }, (_, index) => `${scene}.${index + 1}`);
}
