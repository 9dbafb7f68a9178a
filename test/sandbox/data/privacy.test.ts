import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeRights, modeOf, modesIn } from '../../support/rights';
import { eft, startService } from '../../support/sandbox/requests-to-sandbox';
import {
  expectRefused,
  keepSessions,
  openFolder,
  useDataFolder,
} from '../../support/sandbox/data/use-data-folder';

const dataDir = useDataFolder();

test('a data folder contains tokens only as hashes', async () => {
  const service = await startService({ dataDir: dataDir() });
  const token = await service.token();
  await service.sandbox.close();
  const stored = readdirSync(dataDir()).map((file) => readFileSync(join(dataDir(), file), 'latin1'));
  expect(stored.some((text) => text.includes('token/'))).toBe(true);
  expect(stored.some((text) => text.includes(token))).toBe(false);
});

describeRights('the rights of a data folder and its files', () => {
  let umask: number;

  beforeEach(() => {
    umask = process.umask(0);
  });

  afterEach(() => {
    process.umask(umask);
  });

  const rightsOfOthers = () =>
    Object.values({ folder: modeOf(dataDir()), ...modesIn(dataDir()) }).map((mode) => mode.slice(1));

  test('are the owner’s only, from their creation on, even if the umask allows more', async () => {
    const service = await startService({ dataDir: dataDir() });
    await service.open(eft());
    expect(new Set(rightsOfOthers())).toEqual(new Set(['00']));
    expect(Object.keys(modesIn(dataDir()))).toEqual(
      expect.arrayContaining(['CURRENT', 'PAYSESSION_SANDBOX']),
    );
    await service.sandbox.close();
    expect(new Set(rightsOfOthers())).toEqual(new Set(['00']));
  });

  test('are reduced to the owner’s if the folder existed before with looser rights', async () => {
    const sessionIds = await keepSessions(dataDir());
    for (const file of readdirSync(dataDir())) chmodSync(join(dataDir(), file), 0o644);
    chmodSync(dataDir(), 0o755);
    expect(await openFolder(dataDir(), sessionIds)).toEqual(sessionIds);
    expect(new Set(rightsOfOthers())).toEqual(new Set(['00']));
  });

  test('are reduced to the owner’s if the folder existed before and was empty', async () => {
    mkdirSync(dataDir(), { mode: 0o755 });
    await startService({ dataDir: dataDir() });
    expect(new Set(rightsOfOthers())).toEqual(new Set(['00']));
  });

  test('stay unchanged if the folder has files of another program: the folder is refused', async () => {
    mkdirSync(dataDir(), { mode: 0o755 });
    writeFileSync(join(dataDir(), 'diary.txt'), '');
    await expectRefused(dataDir(), 'INVALID_FILE', /diary\.txt/);
    expect([modeOf(dataDir()), modesIn(dataDir())]).toEqual(['755', { 'diary.txt': '666' }]);
  });
});
