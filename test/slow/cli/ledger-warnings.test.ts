import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { paysession } from '../../support/cli/run-paysession';
import { describeRights } from '../../support/rights';

const AWAY = 'postgresql://me:secret@db.invalid/paysession';

const warningsOf = async (args: readonly string[], env: NodeJS.ProcessEnv) => {
  const { stderr } = await paysession(args, { env: { TEMPORAL_ADDRESS: '127.0.0.1:1', ...env } });
  expect(stderr).not.toContain('secret@');
  return stderr.replaceAll(/\s+/g, ' ').match(/warning: [^:]*: others|warning: every user .*?_FILE/g) ?? [];
};

const TLS_UNSAID = ['warning: the ledger’s URL says nothing of TLS: others'];

describe('the warning that a connection to a ledger on another machine may be without TLS', () => {
  test.each([
    'ledger list',
    'ledger migrate --plan',
    'ledger keep',
    'reconcile -',
    'webhooks list',
    'state order-1',
    'console',
  ])('is printed once by %s', async (command) => {
    expect(await warningsOf(command.split(' '), { PAYSESSION_LEDGER_URL: AWAY })).toEqual(TLS_UNSAID);
  });

  test.each([
    `${AWAY}?sslmode=verify-full`,
    `${AWAY}?sslmode=disable`,
    'postgresql://me:secret@127.0.0.1:1/x',
  ])('is not printed for the URL %s', async (url) => {
    expect(await warningsOf(['ledger', 'list'], { PAYSESSION_LEDGER_URL: url })).toEqual([]);
  });
});

describeRights('a file of secrets', () => {
  let folder: string;
  let key: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'paysession-warnings-'));
    key = (await paysession(['ledger', 'new-key', 'tests'])).stdout.split('\n')[0] ?? '';
  });

  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const fileOf = (text: string, mode: number) => {
    const path = join(folder, `secret-${mode}`);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };

  test.each([
    [0o644, ['warning: every user of this machine can read the file of PAYSESSION_LEDGER_SIGNING_KEY_FILE']],
    [0o640, []],
  ])('with the mode %o makes signing commands print these warnings: %j', async (mode, warnings) => {
    const file = fileOf(key, mode);
    const env = {
      PAYSESSION_LEDGER_URL: 'postgresql://me:secret@127.0.0.1:1/x',
      PAYSESSION_LEDGER_SIGNING_KEY_FILE: file,
    };
    expect(await warningsOf(['ledger', 'checkpoint', '--first'], env)).toEqual(warnings);
    expect(await warningsOf(['ledger', 'keep', '--publish', dirname(file)], env)).toEqual(warnings);
  });
});
