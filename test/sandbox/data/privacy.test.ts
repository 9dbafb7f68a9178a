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

test('a data folder holds tokens only as hashes', async () => {
  const service = await startService({ dataDir: dataDir() });
  const token = await service.token();
  await service.sandbox.close();
  const stored = readdirSync(dataDir()).map((file) => readFileSync(join(dataDir(), file), 'latin1'));
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
    Object.values({ folder: modeOf(dataDir()), ...modesIn(dataDir()) }).map((mode) => mode.slice(1));

  test('with every file, from the moment that it is made, even with a loose umask', async () => {
    const service = await startService({ dataDir: dataDir() });
    await service.open(eft());
    expect(new Set(others())).toEqual(new Set(['00']));
    expect(Object.keys(modesIn(dataDir()))).toEqual(
      expect.arrayContaining(['CURRENT', 'PAYSESSION_SANDBOX']),
    );
    await service.sandbox.close();
    expect(new Set(others())).toEqual(new Set(['00']));
  });

  test('if it and its files existed before with looser rights', async () => {
    const sessionIds = await keepSessions(dataDir());
    for (const file of readdirSync(dataDir())) chmodSync(join(dataDir(), file), 0o644);
    chmodSync(dataDir(), 0o755);
    expect(await openFolder(dataDir(), sessionIds)).toEqual(sessionIds);
    expect(new Set(others())).toEqual(new Set(['00']));
  });

  test('if it existed before and was empty', async () => {
    mkdirSync(dataDir(), { mode: 0o755 });
    await startService({ dataDir: dataDir() });
    expect(new Set(others())).toEqual(new Set(['00']));
  });

  test('but not if it has files of another program: then it is refused, and left as it is', async () => {
    mkdirSync(dataDir(), { mode: 0o755 });
    writeFileSync(join(dataDir(), 'diary.txt'), '');
    await expectRefused(dataDir(), 'INVALID_FILE', /diary\.txt/);
    expect([modeOf(dataDir()), modesIn(dataDir())]).toEqual(['755', { 'diary.txt': '666' }]);
  });
});
