import type { ConnectionLike } from '@temporalio/client';

/** A namespace of one Temporal server. Servers may have namespaces of the same name. */
export interface TemporalNamespace {
  readonly name: string;
  /** Distinguishes namespaces of the same name. */
  readonly id: string;
}

/** Reads which namespace a connection's name stands for. Throws what Temporal answers. */
export async function readNamespace(
  { workflowService }: Pick<ConnectionLike, 'workflowService'>,
  name: string,
): Promise<TemporalNamespace> {
  const { namespaceInfo } = await workflowService.describeNamespace({ namespace: name });
  return { name, id: namespaceInfo?.id || name };
}
