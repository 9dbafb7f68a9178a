import { describe, expect, jest, test } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { EngineTimeout } from '../../../src/sessions/calls/engine-errors';
import { retryingUntilAnswered } from '../../../src/sessions/calls/retry';

const unanswered = async (timeoutMs: number): Promise<never> => {
  await sleep(timeoutMs);
  throw new EngineTimeout('no answer');
};

describe('an answer that the engine may lose', () => {
  test('is asked for again', async () => {
    const times: number[] = [];
    const answer = await retryingUntilAnswered(
      10_000,
      (timeoutMs) => {
        times.push(timeoutMs);
        return times.length < 3 ? unanswered(timeoutMs) : Promise.resolve('opened');
      },
      20,
    );
    expect({ answer, times }).toEqual({ answer: 'opened', times: [20, 20, 20] });
  });

  test('is waited for no longer than the caller wants', async () => {
    const times: number[] = [];
    const answer = retryingUntilAnswered(
      50,
      (timeoutMs) => {
        times.push(timeoutMs);
        return unanswered(timeoutMs);
      },
      40,
    );
    await expect(answer).rejects.toThrow(EngineTimeout);
    expect(times[0]).toBe(40);
    expect(times.every((timeoutMs) => timeoutMs <= 40)).toBe(true);
  });

  test('is not asked for again when the call was cut off, or refused', async () => {
    for (const error of [new EngineTimeout('cut off'), new Error('refused')]) {
      const ask = jest.fn(() => Promise.reject(error));
      await expect(retryingUntilAnswered(10_000, ask)).rejects.toBe(error);
      expect(ask).toHaveBeenCalledTimes(1);
    }
  });

  test('is asked for again after a pause while the engine is busy', async () => {
    const busy = Object.assign(new Error('busy'), { code: 8, details: 'Workflow is busy.', metadata: {} });
    const ask = jest.fn<() => Promise<string>>().mockRejectedValueOnce(busy).mockResolvedValueOnce('opened');
    expect(await retryingUntilAnswered(10_000, ask)).toBe('opened');
    const never = jest.fn(() => Promise.reject(busy));
    await expect(retryingUntilAnswered(10, never)).rejects.toBe(busy);
  });
});
