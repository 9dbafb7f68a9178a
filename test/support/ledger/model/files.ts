import type { ServedSession } from './simulated-service';

/** A line of a reconciliation file: the money of a session was settled or returned. */
export interface FileLine {
  readonly environment: string;
  readonly sessionId: string;
  readonly kind: 'settled' | 'returned';
  readonly day: string;
  readonly cents: number;
  readonly referenceId: string | undefined;
}

/** The ways in which a line names its session: by the id, by the id in capitals, by the reference, or by id and reference. */
export type Naming = 'id' | 'capitals' | 'reference' | 'both';
export const NAMINGS = ['id', 'capitals', 'reference', 'both'] as const satisfies readonly Naming[];

const HEAD = 'reference,session,amount,currency,date,kind,code';

export function lineOf(session: ServedSession, kind: FileLine['kind'], day: string): FileLine {
  const { sessionId, environment, request } = session;
  const { amount, referenceId } = request;
  return {
    environment,
    sessionId,
    kind,
    day,
    cents: Math.round((amount ?? 0) * 100),
    referenceId: referenceId ?? undefined,
  };
}

/** Returns a file in the form in which the payment service delivers it. */
export const fileOf = (lines: readonly FileLine[], naming: Naming): string =>
  [HEAD, ...lines.map((line) => rowOf(line, naming)), ''].join('\r\n');

function rowOf({ sessionId, kind, day, cents, referenceId }: FileLine, naming: Naming): string {
  const byReference = naming === 'reference' && referenceId !== undefined;
  const reference = byReference || naming === 'both' ? (referenceId ?? '') : '';
  const id = byReference ? '' : naming === 'capitals' ? sessionId.toUpperCase() : sessionId;
  const code = kind === 'returned' ? 'NSF' : '';
  return [reference, id, (cents / 100).toFixed(2), 'CAD', day, kind, code].join(',');
}
