import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { readProjectFile, REQUIRED_VALUE } from '../support/compose/load-compose';

/** The parser that `docker compose` uses. It needs no container engine. Go builds it once. */
const PARSER = 'github.com/compose-spec/compose-go/v2/cmd@v2.16.2';
const BUILD_MS = 300_000;

const folder = mkdtempSync(join(tmpdir(), 'paysession-compose-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/**
 * Returns the parser's output for the text of a Compose file. Throws if the parser refuses it. The parser reads no passwords from the
 * environment, so the text `COMPLETE` contains them.
 */
function parsed(text: string): string {
  const path = join(folder, 'docker-compose.yml');
  writeFileSync(path, text);
  const env = { ...process.env, COMPOSE_PROFILES: 'console,encryption,keeper,monitoring' };
  return execFileSync('go', ['run', PARSER, path], {
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

const FILE = readProjectFile('docker-compose.yml');
const COMPLETE = FILE.replaceAll(/\$\{\w+:\?[^}]*\}/g, REQUIRED_VALUE);

test(
  'Compose’s own parser accepts docker-compose.yml',
  () => {
    expect(parsed(COMPLETE)).toContain('temporalio/server');
  },
  BUILD_MS,
);

test(
  'Compose’s own parser refuses docker-compose.yml if the databases’ passwords are not set, and says what to do',
  () => {
    const refusal = (name: string) =>
      `${name}_PASSWORD is missing a value: set it in .env as docs/guides/compose.md shows`;
    const names = ['POSTGRES', 'LEDGER_OWNER', 'LEDGER_WORKER', 'LEDGER_KEEPER'];
    expect(() => parsed(FILE)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(
          new RegExp(names.map((name) => `(?=.*${refusal(name)})`).join(''), 's'),
        ),
      }),
    );
  },
  BUILD_MS,
);

test.each([
  ['healthcheck:', 'healtcheck:'],
  ['condition: service_healthy', 'condition: servic_healthy'],
  ['init: true', 'init: perhaps'],
  ['read_only: true', 'read_only: mostly'],
])(
  'Compose’s own parser refuses docker-compose.yml with `%s` written as `%s`',
  (right, wrong) => {
    expect(() => parsed(COMPLETE.replace(right, wrong))).toThrow();
  },
  BUILD_MS,
);
