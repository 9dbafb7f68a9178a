import { describe, expect, test } from '@jest/globals';
import { GRPC, grpcAnswerOf } from '../../../src/protocol/temporal/grpc';

const answered = (code: number) =>
  Object.assign(new Error('words'), { code, details: 'words', metadata: {} });

describe('the gRPC error of the Temporal server', () => {
  test('is found in the errors that wrap it', () => {
    const answer = answered(GRPC.NOT_FOUND);
    const wrapped = new Error('outer', { cause: new Error('inner', { cause: answer }) });
    expect(grpcAnswerOf(answer)).toBe(answer);
    expect(grpcAnswerOf(wrapped)).toBe(answer);
  });

  test.each([
    undefined,
    'words',
    { code: 5, details: 'words', metadata: {} },
    new Error('words'),
    Object.assign(new Error('refused'), { code: 'ECONNREFUSED', details: 'words', metadata: {} }),
    Object.assign(new Error('of another kind'), { code: 5 }),
  ])('is not found in %p', (error) => {
    expect(grpcAnswerOf(error)).toBeUndefined();
  });
});
