import { describe, expect, test } from '@jest/globals';
import { IndexQueue } from '../../../console/reading/index-queue';

const NEVER_MS = 60_000;

function queueWith({ patienceMs = NEVER_MS } = {}) {
  const end = new AbortController();
  return { end, queue: new IndexQueue({ ending: end.signal, apartMs: 0, patienceMs }) };
}

/** Queries that a test answers. A query that is aborted rejects. */
function queries() {
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

/** Waits until `count` queries have been sent. */
const reached = async (asked: readonly unknown[], count: number) => {
  while (asked.length < count) await letRun();
};

/** Lets everything run that needs no answer. */
const letRun = () => new Promise<void>((done) => setTimeout(done, 5));

describe('queries that can wait', () => {
  test('run one at a time, and a failure does not delay the next ones', async () => {
    const { queue } = queueWith();
    const { ask, asked } = queries();
    const [failing, second] = [queue.later(() => Promise.reject(new Error('lost'))), queue.later(ask)];
    const third = queue.later(ask);
    await expect(failing).rejects.toThrow('lost');
    await letRun();
    expect(asked).toHaveLength(1);
    asked[0]?.answer('second');
    expect(await second).toBe('second');
    await reached(asked, 2);
    asked[1]?.answer('third');
    expect(await third).toBe('third');
  });

  test('run after the queries that an operator waits for', async () => {
    const { queue } = queueWith();
    const [now, then] = [queries(), queries()];
    const list = queue.first(now.ask);
    const count = queue.later(then.ask);
    await letRun();
    expect(then.asked).toHaveLength(0);
    now.asked[0]?.answer('list');
    expect(await list).toBe('list');
    await reached(then.asked, 1);
    then.asked[0]?.answer('count');
    expect(await count).toBe('count');
  });

  test('give way to an operator’s query that takes too long, and run again', async () => {
    const { queue } = queueWith({ patienceMs: 1 });
    const [now, then] = [queries(), queries()];
    const count = queue.later(then.ask);
    await letRun();
    const list = queue.first(now.ask);
    await letRun();
    expect(then.asked[0]?.signal?.aborted).toBe(true);
    expect(then.asked).toHaveLength(1);
    now.asked[0]?.answer('list');
    await list;
    await reached(then.asked, 2);
    then.asked[1]?.answer('count');
    expect(await count).toBe('count');
  });

  test('give way five times at most, however many other queries come first', async () => {
    const { queue } = queueWith({ patienceMs: 0 });
    const then = queries();
    const count = queue.later(then.ask);
    for (let time = 0; time < 10; time += 1) {
      await letRun();
      const now = queries();
      const list = queue.first(now.ask);
      await letRun();
      now.asked[0]?.answer('list');
      await list;
    }
    expect(then.asked).toHaveLength(6);
    then.asked.at(-1)?.answer('count');
    expect(await count).toBe('count');
  });

  test('end with the console', async () => {
    const { queue, end } = queueWith();
    const { ask, asked } = queries();
    const both = [queue.later(ask), queue.later(ask)];
    await letRun();
    end.abort();
    const outcomes = await Promise.allSettled(both);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(asked).toHaveLength(1);
  });
});
