import { expect } from '@jest/globals';
import {
  eft,
  eTransfer,
  expectProblem,
  geft,
  startService,
  type Answer,
  type RequestBuilder,
} from '../requests-to-sandbox';

/** One valid request of each kind. */
export const ALL_KINDS = [
  ['EFT', eft()],
  ['GEFT', geft()],
  ['e-Transfer', eTransfer()],
] as const;

/** Sends a create request to a new sandbox, and returns the answer. */
export async function create(request: RequestBuilder): Promise<Answer> {
  return (await startService()).create(request);
}

/** Expects that the answer is a 400 whose `errors` have exactly these paths. */
export function expectRefusal(answer: Answer, ...paths: readonly string[]): void {
  const errors = expectProblem(answer, 400);
  expect(Object.keys(errors).sort()).toEqual([...paths].sort());
}
