import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { ClassicLevel } from 'classic-level';
import { Journal } from '../../../sandbox/journal';
import { eft, expectProblem, JSON_TYPE, startService } from '../../support/sandbox/requests-to-sandbox';
import { useDataFolder } from '../../support/sandbox/data/use-data-folder';

const dataDir = useDataFolder();

afterEach(() => {
  jest.restoreAllMocks();
});

// The journal writes the sandbox's data to the data folder. A drawer of the journal has the records of one kind, such as sessions.
describe('the journal', () => {
  test('loses no change that is made while it closes', async () => {
    const journal = new Journal(dataDir());
    const sizes: number[] = [];
    const drawer = journal.drawer<number>('number/', ({ size }) => sizes.push(size));
    await journal.open();
    drawer.put('early', 1);
    const closing = journal.close();
    for (let turn = 0; turn < 20; turn += 1) {
      drawer.put(`late ${turn}`, turn);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await closing;
    await journal.open();
    await journal.close();
    const again = new Journal(dataDir());
    again.drawer<number>('number/', ({ size }) => sizes.push(size));
    await again.open();
    await again.close();
    expect(sizes).toEqual([0, 21, 21]);
  });

  test('restores each drawer and each record with its own data only', async () => {
    const journal = new Journal(dataDir());
    journal.drawer<string>('cat/', () => undefined).put('one', 'Tom');
    journal.drawer<string>('category/', () => undefined).put('one', 'pets');
    journal.record<number>('count', () => undefined).put(2);
    await journal.open();
    await journal.close();
    const again = new Journal(dataDir());
    const restored: unknown[] = [];
    again.drawer<string>('cat/', (records) => restored.push([...records]));
    again.drawer<string>('category/', (records) => restored.push([...records]));
    again.record<number>('count', (value) => restored.push(value));
    again.record<number>('never put', (value) => restored.push(value));
    await again.open();
    await again.close();
    expect(restored).toEqual([[['one', 'Tom']], [['one', 'pets']], 2, undefined]);
  });
});

describe('writes to the disk of a data folder', () => {
  test('make calls fail with 503 if they fail, also calls that read an unsaved change', async () => {
    const lines: string[] = [];
    const service = await startService({ dataDir: dataDir(), log: (line) => lines.push(line) });
    const sessionId = await service.open(eft());
    const token = await service.token();
    const failure = () => Promise.reject(new Error('no space left on device'));
    const batch = jest.spyOn(ClassicLevel.prototype, 'batch').mockImplementation(failure as never);
    const headers = { authorization: `Bearer ${token}` };
    expectProblem(await service.cancel(sessionId, { headers }), 503);
    const created = await service.create(eft(), { headers: { ...headers, ...JSON_TYPE } });
    expectProblem(created, 503);
    expect(created.headers['retry-after']).toMatch(/^\d+$/);
    const control = await service.sandbox.listenControl();
    expect((await fetch(`${control.url}/sessions/${sessionId}`)).status).toBe(503);
    // A read fails, too: its answer must not contain a change that could still be lost.
    expectProblem(await service.status(sessionId), 503);
    expect(lines.join('\n')).toContain('The data folder cannot be written: no space left on device');
    batch.mockRestore();
    expect((await service.status(sessionId)).body['status']).toBe('Cancelled');
    await service.sandbox.close();
    const again = await startService({ dataDir: dataDir() });
    expect((await again.status(sessionId)).body['status']).toBe('Cancelled');
  });

  test('are tried again at the next change if they fail, even if no call waits for the change', async () => {
    const journal = new Journal(dataDir());
    const drawer = journal.drawer<number>('number/', () => undefined);
    await journal.open();
    const failure = () => Promise.reject(new Error('no space left on device'));
    const batch = jest.spyOn(ClassicLevel.prototype, 'batch').mockImplementationOnce(failure as never);
    for (const count of [1, 2]) {
      drawer.put(`change ${count}`, count);
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      expect(batch).toHaveBeenCalledTimes(count);
    }
    await journal.close();
    expect(batch).toHaveBeenCalledTimes(2);
  });

  test('are shared by calls that arrive together', async () => {
    const service = await startService({ dataDir: dataDir() });
    const token = await service.token();
    const batch = jest.spyOn(ClassicLevel.prototype, 'batch');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const holds = Array.from({ length: 20 }, () => service.sandbox.hold('create', 'before'));
    const creates = holds.map(() => service.create(eft(), { headers }));
    await Promise.all(holds.map(({ reached }) => reached));
    for (const hold of holds) hold.release();
    const answers = await Promise.all(creates);
    expect(answers.every(({ status }) => status === 201)).toBe(true);
    expect(batch.mock.calls.length).toBeLessThan(10);
    const options: unknown[] = batch.mock.calls.map((args: readonly unknown[]) => args[1]);
    expect(new Set(options.map((option) => JSON.stringify(option)))).toEqual(new Set(['{"sync":true}']));
  });
});
