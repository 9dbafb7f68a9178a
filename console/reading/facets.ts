import { SESSION_CODES, SESSION_STATUSES } from '../../src/contract';
import { UNREADABLE } from '../../src/protocol/names';
import { PROBLEMS } from '../../src/protocol/state/problems';
import { SESSION_PHASES } from '../../src/protocol/state/recorded';
import type { SessionFilter } from '../../src/sessions';
import { SESSION_KINDS } from '../../src/contract/statuses';

/** What sessions are counted and filtered by. */
export type Facet = 'phase' | 'problem' | 'status' | 'code' | 'kind';

/** The values of each that are counted. A value that is not known here, such as a status to come, is found by its name. */
export const FACETS: Readonly<Record<Facet, readonly string[]>> = {
  phase: SESSION_PHASES,
  problem: Object.keys(PROBLEMS),
  status: [...SESSION_STATUSES, UNREADABLE],
  code: [...Object.keys(SESSION_CODES), UNREADABLE],
  kind: SESSION_KINDS,
};

export const FACET_NAMES = Object.keys(FACETS) as readonly Facet[];

/** How many sessions have each value. */
export type FacetCounts = ReadonlyMap<string, number>;

/** The filter for one value, which the list checks. */
export const withValue = (facet: Facet, value: string): SessionFilter => ({ [facet]: value });
