/** A time, or a duration, as Temporal's API has it. */
export interface ProtoTime {
  readonly seconds?: { toNumber(): number } | null;
  readonly nanos?: number | null;
}

/** Milliseconds of a duration, or since the epoch. */
export function toMs({ seconds, nanos }: ProtoTime): number {
  return (seconds?.toNumber() ?? 0) * 1_000 + Math.floor((nanos ?? 0) / 1_000_000);
}
