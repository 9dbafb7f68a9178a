import { describe, expect, test } from '@jest/globals';
import { IndexQueue } from '../../../console/reading/index-queue';

// The console sends its queries to Temporal's index through this queue. Queries for which an operator waits go `first`.
// Counts for the overview can wait: they run `later`.
const NEVER_MS = 60_000;

function queueWith({ patienceMs = NEVER_MS } = {}) {
  const end = new AbortController();
  return { end, queue: new IndexQueue({ ending: end.signal, apartMs: 0, patienceMs }) };
}

/** Returns a function that sends a query, and the list of sent queries, which the test answers. An aborted query rejects. */
function queries() {
  const sent: { readonly answer: (text: string) => void; readonly signal?: AbortSignal }[] = [];
  const ask = (signal?: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      sent.push({ answer: resolve, ...(signal && { signal }) });
      signal?.addEventListener('abort', () => {
        reject(new Error('cancelled'));
      });
    });
  return { ask, sent };
}

/** Waits until `count` queries have been sent. */
const untilSent = async (sent: readonly unknown[], count: number) => {
  while (sent.length < count) await letRun();
};

/** Lets everything run that does not wait for an answer. */
const letRun = () => new Promise<void>((done) => setTimeout(done, 5));

describe('queries that can wait', () => {
  test('run one at a time, and go on after a failed query', async () => {
    const { queue } = queueWith();
    const { ask, sent } = queries();
    const [failing, second] = [queue.later(() => Promise.reject(new Error('lost'))), queue.later(ask)];
    const third = queue.later(ask);
    await expect(failing).rejects.toThrow('lost');
    await letRun();
    expect(sent).toHaveLength(1);
    sent[0]?.answer('second');
    expect(await second).toBe('second');
    await untilSent(sent, 2);
    sent[1]?.answer('third');
    expect(await third).toBe('third');
  });

  test('run after the queries for which an operator waits', async () => {
    const { queue } = queueWith();
    const [urgent, waiting] = [queries(), queries()];
    const list = queue.first(urgent.ask);
    const count = queue.later(waiting.ask);
    await letRun();
    expect(waiting.sent).toHaveLength(0);
    urgent.sent[0]?.answer('list');
    expect(await list).toBe('list');
    await untilSent(waiting.sent, 1);
    waiting.sent[0]?.answer('count');
    expect(await count).toBe('count');
  });

  test('are aborted if an operator’s query waits too long, and run again later', async () => {
    const { queue } = queueWith({ patienceMs: 1 });
    const [urgent, waiting] = [queries(), queries()];
    const count = queue.later(waiting.ask);
    await letRun();
    const list = queue.first(urgent.ask);
    await letRun();
    expect(waiting.sent[0]?.signal?.aborted).toBe(true);
    expect(waiting.sent).toHaveLength(1);
    urgent.sent[0]?.answer('list');
    await list;
    await untilSent(waiting.sent, 2);
    waiting.sent[1]?.answer('count');
    expect(await count).toBe('count');
  });

  test('are aborted five times at most, even if more operators’ queries arrive', async () => {
    const { queue } = queueWith({ patienceMs: 0 });
    const waiting = queries();
    const count = queue.later(waiting.ask);
    for (let time = 0; time < 10; time += 1) {
      await letRun();
      const urgent = queries();
      const list = queue.first(urgent.ask);
      await letRun();
      urgent.sent[0]?.answer('list');
      await list;
    }
    expect(waiting.sent).toHaveLength(6);
    waiting.sent.at(-1)?.answer('count');
    expect(await count).toBe('count');
  });

  test('are rejected when the console ends', async () => {
    const { queue, end } = queueWith();
    const { ask, sent } = queries();
    const both = [queue.later(ask), queue.later(ask)];
    await letRun();
    end.abort();
    const outcomes = await Promise.allSettled(both);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(sent).toHaveLength(1);
  });
});
