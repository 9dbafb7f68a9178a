/** Converts values of Temporal's API. */
import type { ConnectionLike } from '@temporalio/client';

/** A time or a duration in the form of Temporal's API. */
export interface ProtoTime {
  readonly seconds?: { toNumber(): number } | null;
  readonly nanos?: number | null;
}

/** Returns a duration, or a time since the epoch, in whole milliseconds. */
export function toMs({ seconds, nanos }: ProtoTime): number {
  return (seconds?.toNumber() ?? 0) * 1_000 + Math.floor((nanos ?? 0) / 1_000_000);
}

/** A namespace of one Temporal server. Two servers may have namespaces with the same name. */
export interface TemporalNamespace {
  readonly name: string;
  /**
   * Distinguishes namespaces with the same name on different servers. Equals the name if the server reports
   * no id.
   */
  readonly id: string;
}

/** Reads the namespace of this name from a connection's Temporal server. Throws Temporal's errors. */
export async function readNamespace(
  { workflowService }: Pick<ConnectionLike, 'workflowService'>,
  name: string,
): Promise<TemporalNamespace> {
  const { namespaceInfo } = await workflowService.describeNamespace({ namespace: name });
  return { name, id: namespaceInfo?.id || name };
}
