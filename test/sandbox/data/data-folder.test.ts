import { describe, expect, test } from '@jest/globals';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { createSandbox } from '../../../sandbox';
import { seal } from '../../../sandbox/data-folder';
import { startService } from '../../support/sandbox/requests-to-sandbox';
import {
  expectRefused,
  keepSessions,
  openFolder,
  useDataFolder,
} from '../../support/sandbox/data/use-data-folder';

const dataDir = useDataFolder();

describe('a data folder', () => {
  test('is open to one sandbox at a time, and to another once the first has closed', async () => {
    const first = await startService({ dataDir: dataDir() });
    await expectRefused(
      dataDir(),
      'FOLDER_IN_USE',
      /is in use by another sandbox, such as that of `paysession dev`\. Choose another folder \(`--data`\), or stop that sandbox\.$/,
    );
    await first.sandbox.close();
    await startService({ dataDir: dataDir() });
  });

  test('is released if its sandbox cannot listen, because the port is in use', async () => {
    const port = Number(new URL((await startService()).sandbox.url).port);
    await expect(createSandbox({ dataDir: dataDir() }).listen({ port })).rejects.toMatchObject({
      code: 'PORT_IN_USE',
    });
    await startService({ dataDir: dataDir() });
  });

  test('with a file of another program is refused, and left as it is', async () => {
    mkdirSync(dataDir());
    writeFileSync(join(dataDir(), 'diary.txt'), '');
    await expectRefused(
      dataDir(),
      'INVALID_FILE',
      /holds diary\.txt, which does not belong to a sandbox\. Choose another folder/,
    );
    expect(readdirSync(dataDir())).toEqual(['diary.txt']);
  });

  test('with the database of another program is refused', async () => {
    const other = new ClassicLevel(dataDir());
    await other.put('their', 'data');
    await other.close();
    await expectRefused(
      dataDir(),
      'INVALID_FILE',
      /holds the database of another program, which does not belong to a sandbox/,
    );
  });

  test('that is a file is refused', async () => {
    writeFileSync(dataDir(), '');
    await expectRefused(dataDir(), 'INVALID_FILE', /cannot be opened \(EEXIST\)\. Choose a folder/);
  });

  test('that cannot be created is refused', async () => {
    await expectRefused(
      '/proc/paysession/data',
      'INVALID_FILE',
      /cannot be opened \(ENOENT\)\. Choose a folder/,
    );
  });

  test('whose creation was interrupted is created again', async () => {
    mkdirSync(dataDir());
    for (const file of ['LOCK', 'LOG', 'MANIFEST-000001', '000001.dbtmp'])
      writeFileSync(join(dataDir(), file), '');
    await startService({ dataDir: dataDir() });
  });

  test('written by another version of paysession is refused', async () => {
    const sessionIds = await keepSessions(dataDir());
    const store = new ClassicLevel(dataDir());
    await store.put(
      'balance',
      seal('balance', { writeNumber: 0, value: { version: 2, records: 0, sum: 0 } }),
    );
    await store.close();
    expect(await openFolder(dataDir(), sessionIds)).toMatch(/written by another version of paysession/);
  });
});
