import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { createSandbox } from '../../../sandbox';
import { Journal } from '../../../sandbox/data/journal';
import { singleRecord } from '../../../sandbox/data/single-record';
import { seal } from '../../../sandbox/data/records';
import { describeRights, modeOf, modesIn } from '../../support/rights';
import { eft, expectProblem, startService } from '../support';

let parent: string;
let dataDir: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'paysession-data-'));
  dataDir = join(parent, 'data');
});

afterEach(() => {
  jest.restoreAllMocks();
  rmSync(parent, { recursive: true });
});

/** A folder in which a sandbox has kept sessions, and no sandbox is at work. */
async function usedFolder(): Promise<readonly string[]> {
  const service = await startService({ dataDir });
  const sessionIds: string[] = [];
  for (let count = 0; count < 5; count += 1) sessionIds.push(await service.open(eft(`order-${count}`)));
  await service.sandbox.close();
  return sessionIds;
}

/** The ids of a folder's sessions, or why it cannot be opened. */
async function openFolder(
  folder: string,
  sessionIds: readonly string[],
): Promise<readonly string[] | string> {
  const sandbox = createSandbox({ dataDir: folder });
  try {
    await sandbox.listen();
    return sessionIds.filter((sessionId) => sandbox.session(sessionId) !== undefined);
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_FILE', message: expect.stringContaining(folder) });
    return (error as Error).message;
  } finally {
    await sandbox.close();
  }
}

const fails = (code: string, message: RegExp) =>
  expect(createSandbox({ dataDir }).listen()).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
  });

describe('a data folder', () => {
  test('is open to one sandbox at a time, and to the next one after it', async () => {
    const first = await startService({ dataDir });
    await fails(
      'FOLDER_IN_USE',
      /is in use by another sandbox\. Choose another folder, or stop that sandbox\.$/,
    );
    await first.sandbox.close();
    await startService({ dataDir });
  });

  test('is left to others when the port is in use', async () => {
    const port = Number(new URL((await startService()).sandbox.url).port);
    await expect(createSandbox({ dataDir }).listen({ port })).rejects.toMatchObject({ code: 'PORT_IN_USE' });
    await startService({ dataDir });
  });

  test('with files of others is refused, and left as it is', async () => {
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'diary.txt'), '');
    await fails(
      'INVALID_FILE',
      /holds diary\.txt, which does not belong to a sandbox\. Choose another folder/,
    );
    expect(readdirSync(dataDir)).toEqual(['diary.txt']);
  });

  test('with the database of another program is refused', async () => {
    const other = new ClassicLevel(dataDir);
    await other.put('their', 'data');
    await other.close();
    await fails('INVALID_FILE', /holds the database of another program, which does not belong to a sandbox/);
  });

  test('that is a file is refused', async () => {
    writeFileSync(dataDir, '');
    await fails('INVALID_FILE', /cannot be opened \(EEXIST\)\. Choose a folder/);
  });

  test('whose making was cut short is made anew', async () => {
    mkdirSync(dataDir);
    for (const file of ['LOCK', 'LOG', 'MANIFEST-000001', '000001.dbtmp'])
      writeFileSync(join(dataDir, file), '');
    await startService({ dataDir });
  });

  test('of another version is refused', async () => {
    const sessionIds = await usedFolder();
    const store = new ClassicLevel(dataDir);
    await store.put(
      'balance',
      seal('balance', { writeNumber: 0, value: { version: 2, records: 0, sum: 0 } }),
    );
    await store.close();
    expect(await openFolder(dataDir, sessionIds)).toMatch(/written by another version of paysession/);
  });
});

describe('damage', () => {
  test('to any file is told, and nothing is lost in silence', async () => {
    const inTable = await usedFolder();
    // Opened once more, the folder has these in a table; what comes then is in the log.
    const service = await startService({ dataDir });
    const sessionIds = [...inTable, await service.open(eft())];
    await service.sandbox.close();
    const harmless = ['LOCK', 'LOG', 'LOG.old', 'PAYSESSION_SANDBOX'];
    const files = readdirSync(dataDir).filter((file) => !harmless.includes(file));
    expect(files.map((file) => file.replace(/\d+/, 'n')).sort()).toEqual(
      expect.arrayContaining(['CURRENT', 'MANIFEST-n', 'n.ldb', 'n.log']),
    );
    let copies = 0;
    for (const file of files) {
      const bytes = readFileSync(join(dataDir, file));
      const spoilt = [
        undefined,
        Buffer.alloc(0),
        Buffer.from('spoilt'),
        ...[0.1, 0.3, 0.5, 0.7, 0.9].map((part) => flipped(bytes, Math.floor(part * bytes.length))),
      ];
      for (const content of spoilt) {
        const copy = join(parent, `copy-${(copies += 1)}`);
        cpSync(dataDir, copy, { recursive: true });
        if (content === undefined) rmSync(join(copy, file));
        else writeFileSync(join(copy, file), content);
        // A log that was cut short cannot be told from one that a kill cut short before it was answered for.
        const isCut = file.endsWith('.log') && (content?.length ?? 0) < bytes.length;
        const whole = isCut ? inTable : sessionIds;
        // Twice: what was refused must not open the next time, with less in it.
        for (const time of ['first', 'second']) {
          const found = await openFolder(copy, sessionIds);
          const isTold = typeof found === 'string' && /Restore a copy|another version/.test(found);
          expect([file, time, content?.length, isTold || found]).toEqual([
            file,
            time,
            content?.length,
            isTold || whole,
          ]);
        }
      }
    }
  });

  test.each([
    ['a record that is missing', (store: ClassicLevel, key: string) => store.del(key)],
    [
      'a record that is an older one',
      (store: ClassicLevel, key: string) => store.put(key, seal(key, { writeNumber: 1, value: {} })),
    ],
  ])('%s is told', async (_what, spoil) => {
    const sessionIds = await usedFolder();
    const store = new ClassicLevel(dataDir);
    await spoil(store, `session/${sessionIds[4]}`);
    await store.close();
    expect(await openFolder(dataDir, sessionIds)).toMatch(/damaged: something that was written is lost/);
  });

  test('of a log that held everything is told', async () => {
    const sessionIds = await usedFolder();
    for (const file of readdirSync(dataDir)) {
      if (file.endsWith('.log')) writeFileSync(join(dataDir, file), '');
    }
    expect(await openFolder(dataDir, sessionIds)).toMatch(/damaged: something that was written is lost/);
  });

  test('of all files but the mark is told', async () => {
    const sessionIds = await usedFolder();
    for (const file of readdirSync(dataDir)) {
      if (file !== 'PAYSESSION_SANDBOX') rmSync(join(dataDir, file));
    }
    expect(await openFolder(dataDir, sessionIds)).toMatch(/damaged: the file CURRENT is missing/);
  });
});

describe('the journal', () => {
  test('keeps what changes while it is being closed, for when it is opened again', async () => {
    const journal = new Journal(dataDir);
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
    const again = new Journal(dataDir);
    again.drawer<number>('number/', ({ size }) => sizes.push(size));
    await again.open();
    await again.close();
    expect(sizes).toEqual([0, 21, 21]);
  });

  test('gives each store its own records, and no others', async () => {
    const journal = new Journal(dataDir);
    journal.drawer<string>('cat/', () => undefined).put('one', 'Tom');
    journal.drawer<string>('category/', () => undefined).put('one', 'pets');
    singleRecord<number>(journal, 'count', () => undefined).put(2);
    await journal.open();
    await journal.close();
    const again = new Journal(dataDir);
    const restored: unknown[] = [];
    again.drawer<string>('cat/', (records) => restored.push([...records]));
    again.drawer<string>('category/', (records) => restored.push([...records]));
    singleRecord<number>(again, 'count', (value) => restored.push(value));
    singleRecord<number>(again, 'never put', (value) => restored.push(value));
    await again.open();
    await again.close();
    expect(restored).toEqual([[['one', 'Tom']], [['one', 'pets']], 2, undefined]);
  });
});

describe('a disk that cannot be written', () => {
  test('is told with 503, and no answer rests on what is not on disk', async () => {
    const lines: string[] = [];
    const service = await startService({ dataDir, log: (line) => lines.push(line) });
    const sessionId = await service.open(eft());
    const token = await service.token();
    const failure = () => Promise.reject(new Error('no space left on device'));
    const batch = jest.spyOn(ClassicLevel.prototype, 'batch').mockImplementation(failure as never);
    const headers = { authorization: `Bearer ${token}` };
    expectProblem(await service.cancel(sessionId, { headers }), 503);
    const control = await service.sandbox.listenControl();
    expect((await fetch(`${control.url}/sessions/${sessionId}`)).status).toBe(503);
    // Nor may a reading tell what could be lost yet.
    expectProblem(await service.status(sessionId), 503);
    expect(lines.join('\n')).toContain('The data folder cannot be written: no space left on device');
    batch.mockRestore();
    expect((await service.status(sessionId)).body['status']).toBe('Cancelled');
    await service.sandbox.close();
    const again = await startService({ dataDir });
    expect((await again.status(sessionId)).body['status']).toBe('Cancelled');
  });

  test('calls that come together share the wait for it', async () => {
    const service = await startService({ dataDir });
    const token = await service.token();
    const batch = jest.spyOn(ClassicLevel.prototype, 'batch');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const hold = Array.from({ length: 20 }, () => service.sandbox.hold('create', 'before'));
    const creates = hold.map(() => service.create(eft(), { headers }));
    await Promise.all(hold.map(({ reached }) => reached));
    for (const held of hold) held.release();
    const answers = await Promise.all(creates);
    expect(answers.every(({ status }) => status === 201)).toBe(true);
    expect(batch.mock.calls.length).toBeLessThan(10);
    const options: unknown[] = batch.mock.calls.map((args: readonly unknown[]) => args[1]);
    expect(new Set(options.map((option) => JSON.stringify(option)))).toEqual(new Set(['{"sync":true}']));
  });
});

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 0x55;
  return copy;
}

test('a data folder holds tokens only as hashes', async () => {
  const service = await startService({ dataDir });
  const token = await service.token();
  await service.sandbox.close();
  const stored = readdirSync(dataDir).map((file) => readFileSync(join(dataDir, file), 'latin1'));
  expect(stored.some((text) => text.includes('token/'))).toBe(true);
  expect(stored.some((text) => text.includes(token))).toBe(false);
});

describeRights('a data folder is for its owner only', () => {
  let umask: number;

  beforeEach(() => {
    umask = process.umask(0);
  });

  afterEach(() => {
    process.umask(umask);
  });

  const others = () =>
    Object.values({ folder: modeOf(dataDir), ...modesIn(dataDir) }).map((mode) => mode.slice(1));

  test('from the moment that it is made, with every file, also with a loose umask', async () => {
    const service = await startService({ dataDir });
    await service.open(eft());
    expect(new Set(others())).toEqual(new Set(['00']));
    expect(Object.keys(modesIn(dataDir))).toEqual(expect.arrayContaining(['CURRENT', 'PAYSESSION_SANDBOX']));
    await service.sandbox.close();
    expect(new Set(others())).toEqual(new Set(['00']));
  });

  test('when it was there before with looser rights, and so were its files', async () => {
    const sessionIds = await usedFolder();
    for (const file of readdirSync(dataDir)) chmodSync(join(dataDir, file), 0o644);
    chmodSync(dataDir, 0o755);
    expect(await openFolder(dataDir, sessionIds)).toEqual(sessionIds);
    expect(new Set(others())).toEqual(new Set(['00']));
  });

  test('when it was empty', async () => {
    mkdirSync(dataDir, { mode: 0o755 });
    await startService({ dataDir });
    expect(new Set(others())).toEqual(new Set(['00']));
  });

  test('but not when it is somebody else’s, which is refused', async () => {
    mkdirSync(dataDir, { mode: 0o755 });
    writeFileSync(join(dataDir, 'diary.txt'), '');
    await fails('INVALID_FILE', /diary\.txt/);
    expect([modeOf(dataDir), modesIn(dataDir)]).toEqual(['755', { 'diary.txt': '666' }]);
  });
});
