import { condition, getExternalWorkflowHandle, log, workflowInfo } from '@temporalio/workflow';
import { CHANGED_SIGNAL, TELLS_PARENT } from '../../src/protocol/names';
import type { SessionState } from '../../src/protocol/state/session';
import type { Session } from '../session';

/**
 * Tells the workflow that started the session of each change until the session has ended, if that asked for it. One signal is under way at
 * a time, so changes that come close together are told as one. A run that continues another tells the state once more: the parent
 * knows it by its revision.
 */
export async function tellParent(session: Session): Promise<void> {
  const { parent, memo } = workflowInfo();
  if (parent === undefined || memo?.[TELLS_PARENT] === undefined) return;
  const handle = getExternalWorkflowHandle(parent.workflowId);
  const isOver = () => session.closing() || session.continuing;
  let told = 0;
  for (;;) {
    await condition(() => session.record.revision !== told || isOver());
    if (isOver()) return;
    told = session.record.revision;
    try {
      await handle.signal<[SessionState]>(CHANGED_SIGNAL, session.state());
    } catch (error) {
      // It has closed, or takes no more signals. A session that its parent has left to itself continues.
      log.warn('The workflow that started the session is told of no more changes.', {
        account: session.account,
        error,
      });
      return;
    }
  }
}
