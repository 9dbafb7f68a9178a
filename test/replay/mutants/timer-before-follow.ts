import { sleep } from '@temporalio/workflow';
import { follow as original } from '../../../workflows/follow/follow';

export const follow: typeof original = async (session) => {
  await sleep(1);
  await original(session);
};
