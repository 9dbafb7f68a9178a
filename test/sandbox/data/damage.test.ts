import { describe, expect, test } from '@jest/globals';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { seal } from '../../../sandbox/data-folder';
import { eft, startService } from '../../support/sandbox/requests-to-sandbox';
import { keepSessions, openFolder, useDataFolder } from '../../support/sandbox/data/use-data-folder';

// A data folder is a LevelDB database. New records are in its log (.log), and older ones in tables (.ldb).
const dataDir = useDataFolder();

describe('damage to a data folder', () => {
  test('in any file is reported, unless all sessions are still there', async () => {
    const inTable = await keepSessions(dataDir());
    // Opening the folder again moves its first sessions into a table. The session opened now is in the log.
    const service = await startService({ dataDir: dataDir() });
    const sessionIds = [...inTable, await service.open(eft())];
    await service.sandbox.close();
    const harmless = ['LOCK', 'LOG', 'LOG.old', 'PAYSESSION_SANDBOX'];
    const files = readdirSync(dataDir()).filter((file) => !harmless.includes(file));
    expect(files.map((file) => file.replace(/\d+/, 'n')).sort()).toEqual(
      expect.arrayContaining(['CURRENT', 'MANIFEST-n', 'n.ldb', 'n.log']),
    );
    let copies = 0;
    for (const file of files) {
      const bytes = readFileSync(join(dataDir(), file));
      const damagedContents = [
        undefined,
        Buffer.alloc(0),
        Buffer.from('spoilt'),
        ...[0.1, 0.3, 0.5, 0.7, 0.9].map((part) => withFlippedByte(bytes, Math.floor(part * bytes.length))),
      ];
      for (const content of damagedContents) {
        const copy = `${dataDir()}-copy-${(copies += 1)}`;
        cpSync(dataDir(), copy, { recursive: true });
        if (content === undefined) rmSync(join(copy, file));
        else writeFileSync(join(copy, file), content);
        // A log that lost its end looks like the log of a sandbox that was killed before it answered. So a
        // session in the lost part may be missing without a report.
        const lostItsEnd = file.endsWith('.log') && (content?.length ?? 0) < bytes.length;
        const expectedIds = lostItsEnd ? inTable : sessionIds;
        // The folder is opened twice: after a refusal, it must not open the second time with less data.
        for (const time of ['first', 'second']) {
          const found = await openFolder(copy, sessionIds);
          const isReported = typeof found === 'string' && /Restore a copy|another version/.test(found);
          expect([file, time, content?.length, isReported || found]).toEqual([
            file,
            time,
            content?.length,
            isReported || expectedIds,
          ]);
        }
      }
    }
  });

  test.each([
    ['a missing record', (store: ClassicLevel, key: string) => store.del(key)],
    [
      'a record in an older version',
      (store: ClassicLevel, key: string) => store.put(key, seal(key, { writeNumber: 1, value: {} })),
    ],
  ])('that leaves %s is reported', async (_what, change) => {
    const sessionIds = await keepSessions(dataDir());
    const store = new ClassicLevel(dataDir());
    await change(store, `session/${sessionIds[4]}`);
    await store.close();
    expect(await openFolder(dataDir(), sessionIds)).toMatch(/damaged: something that was written is lost/);
  });

  test('that empties a log with all records is reported', async () => {
    const sessionIds = await keepSessions(dataDir());
    for (const file of readdirSync(dataDir())) {
      if (file.endsWith('.log')) writeFileSync(join(dataDir(), file), '');
    }
    expect(await openFolder(dataDir(), sessionIds)).toMatch(/damaged: something that was written is lost/);
  });

  test('that leaves only the file PAYSESSION_SANDBOX is reported', async () => {
    const sessionIds = await keepSessions(dataDir());
    for (const file of readdirSync(dataDir())) {
      if (file !== 'PAYSESSION_SANDBOX') rmSync(join(dataDir(), file));
    }
    expect(await openFolder(dataDir(), sessionIds)).toMatch(/damaged: the file CURRENT is missing/);
  });
});

function withFlippedByte(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 0x55;
  return copy;
}
