import { afterEach, expect, test } from '@jest/globals';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { startPostgres } from '../../../src/temporal-server/start-postgres';
import { LedgerDatabase } from '../../../ledger';
import { readCacheFolder } from '../../../src/settings';
import { until } from '../../support/wait';

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'paysession-postgres-'));
  folders.push(folder);
  return folder;
}

const start = (folder: string, onProgress?: (line: string) => void) =>
  startPostgres({ folder, cacheFolder: readCacheFolder(), ...(onProgress && { onProgress }) });

async function ask(url: string, sql: string): Promise<object[]> {
  const database = new LedgerDatabase(url);
  try {
    return await database.query(sql);
  } finally {
    await database.close();
  }
}

// `dev`, `demo` and the testkit run the PostgreSQL that comes as an npm package.
test('the PostgreSQL of npm listens on the loopback address with a password, and has the same data and password at the next start', async () => {
  const folder = await newFolder();
  // A relative path, as in `paysession dev`.
  const first = await start(relative(process.cwd(), folder));
  expect(first.url).toMatch(/^postgresql:\/\/paysession:[\w-]{32}@127\.0\.0\.1:\d+\/postgres$/);
  await ask(first.url, 'create table kept (one text)');
  await expect(ask(first.url.replace(/:[\w-]{32}@/, ':other@'), 'select 1')).rejects.toMatchObject({
    code: 'LEDGER_REFUSED',
  });
  await first.stop();
  const second = await start(folder);
  const passwordOf = (url: string) => new URL(url).password;
  expect(passwordOf(second.url)).toBe(passwordOf(first.url));
  expect(await ask(second.url, 'select * from kept')).toEqual([]);
  await second.stop();
});

test('data that the PostgreSQL of npm has confirmed survives a kill, and a second server on the same files', async () => {
  const folder = await newFolder();
  const first = await start(folder);
  await ask(first.url, 'create table kept (one text)');
  await ask(first.url, "insert into kept values ('confirmed')");
  process.kill(first.pid, 'SIGKILL');
  await first.exited;
  const second = await start(folder);
  expect(await ask(second.url, 'select * from kept')).toEqual([{ one: 'confirmed' }]);
  await second.stop();
});

test('after an interrupted first start, the PostgreSQL of npm creates its folder again', async () => {
  const folder = await newFolder();
  const first = await start(folder);
  await first.stop();
  await rm(join(folder, 'data', 'PG_VERSION'));
  const second = await start(folder);
  expect(await ask(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(await readdir(folder)).toEqual(['data', 'password']);
  await second.stop();
});

test('the PostgreSQL of npm refuses a data folder whose password file is missing, and leaves the data as it is', async () => {
  const folder = await newFolder();
  await (await start(folder)).stop();
  await rm(join(folder, 'password'));
  await expect(start(folder)).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
  expect(await readdir(folder)).toEqual(['data']);
});

test('the data folder of npm’s PostgreSQL appears only once it is complete, so a killed start leaves no incomplete one', async () => {
  const folder = await newFolder();
  const starting = start(folder);
  const data = await until(
    () => readdir(join(folder, 'data'), { recursive: true }).catch((): string[] => []),
    (names) => names.includes('PG_VERSION'),
  );
  // The folder of the database that PostgreSQL creates last.
  expect(data).toContain(join('base', '5'));
  await (await starting).stop();
});

test('the PostgreSQL of npm waits until an earlier server on the same data has stopped', async () => {
  const folder = await newFolder();
  const first = await start(folder);
  await ask(first.url, "create table kept as select 'confirmed' as one");
  // The first server is paused, so that it still has the data when the second one starts.
  process.kill(first.pid, 'SIGSTOP');
  const goOn = () => {
    process.kill(first.pid, 'SIGCONT');
    return first.stop();
  };
  let said = '';
  try {
    const second = await start(folder, (line) => {
      said = line;
      void goOn();
    });
    expect(said).toContain(folder);
    expect(await ask(second.url, 'select * from kept')).toEqual([{ one: 'confirmed' }]);
    await second.stop();
  } finally {
    if (said === '') await goOn();
  }
});
