import { sleep } from '@temporalio/workflow';
import { createAtService as original } from '../../../workflows/create/create';

export const createAtService: typeof original = async (session) => {
  await sleep(1);
  await original(session);
};
