import { describe, expect, test } from '@jest/globals';
import { IndexQueue } from '../../../console/reading/index-queue';

const NEVER_MS = 60_000;

function turnsThat({ patienceMs = NEVER_MS } = {}) {
  const end = new AbortController();
  return { end, queue: new IndexQueue({ ending: end.signal, apartMs: 0, patienceMs }) };
}

/** Questions that are answered when a test says so; one that is ended says so. */
function questions() {
  const asked: { readonly answer: (text: string) => void; readonly signal?: AbortSignal }[] = [];
  const ask = (signal?: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      asked.push({ answer: resolve, ...(signal && { signal }) });
      signal?.addEventListener('abort', () => {
        reject(new Error('cancelled'));
      });
    });
  return { ask, asked };
}

/** So many are asked. */
const reached = async (asked: readonly unknown[], count: number) => {
  while (asked.length < count) await settled();
};

/** All that can go on without an answer has. */
const settled = () => new Promise<void>((done) => setTimeout(done, 5));

describe('questions that can wait', () => {
  test('are asked one at a time, and a failure delays no other', async () => {
    const { queue } = turnsThat();
    const { ask, asked } = questions();
    const [failing, second] = [queue.later(() => Promise.reject(new Error('lost'))), queue.later(ask)];
    const third = queue.later(ask);
    await expect(failing).rejects.toThrow('lost');
    await settled();
    expect(asked).toHaveLength(1);
    asked[0]?.answer('second');
    expect(await second).toBe('second');
    await reached(asked, 2);
    asked[1]?.answer('third');
    expect(await third).toBe('third');
  });

  test('wait for those that an operator waits for', async () => {
    const { queue } = turnsThat();
    const [now, then] = [questions(), questions()];
    const list = queue.first(now.ask);
    const count = queue.later(then.ask);
    await settled();
    expect(then.asked).toHaveLength(0);
    now.asked[0]?.answer('list');
    expect(await list).toBe('list');
    await reached(then.asked, 1);
    then.asked[0]?.answer('count');
    expect(await count).toBe('count');
  });

  test('give way to those that wait too long, and are asked again', async () => {
    const { queue } = turnsThat({ patienceMs: 1 });
    const [now, then] = [questions(), questions()];
    const count = queue.later(then.ask);
    await settled();
    const list = queue.first(now.ask);
    await settled();
    expect(then.asked[0]?.signal?.aborted).toBe(true);
    expect(then.asked).toHaveLength(1);
    now.asked[0]?.answer('list');
    await list;
    await reached(then.asked, 2);
    then.asked[1]?.answer('count');
    expect(await count).toBe('count');
  });

  test('are answered some time, however often others come first', async () => {
    const { queue } = turnsThat({ patienceMs: 0 });
    const then = questions();
    const count = queue.later(then.ask);
    for (let time = 0; time < 10; time += 1) {
      await settled();
      const now = questions();
      const list = queue.first(now.ask);
      await settled();
      now.asked[0]?.answer('list');
      await list;
    }
    expect(then.asked).toHaveLength(6);
    then.asked.at(-1)?.answer('count');
    expect(await count).toBe('count');
  });

  test('end with the console', async () => {
    const { queue, end } = turnsThat();
    const { ask, asked } = questions();
    const both = [queue.later(ask), queue.later(ask)];
    await settled();
    end.abort();
    const outcomes = await Promise.allSettled(both);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(asked).toHaveLength(1);
  });
});
