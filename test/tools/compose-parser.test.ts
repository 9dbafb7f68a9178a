import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { PROJECT, readProjectFile } from '../support/compose/load-compose';

/** The parser of `docker compose` itself, which needs no container engine. Go builds it once. */
const PARSER = 'github.com/compose-spec/compose-go/v2/cmd@v2.16.2';
const BUILD_MS = 300_000;

const folder = mkdtempSync(join(tmpdir(), 'paysession-compose-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function parsed(path: string): string {
  const env = { ...process.env, COMPOSE_PROFILES: 'encryption,monitoring' };
  return execFileSync('go', ['run', PARSER, path], {
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

test(
  'Compose’s own parser accepts the file',
  () => {
    expect(parsed(join(PROJECT, 'docker-compose.yml'))).toContain('temporalio/server');
  },
  BUILD_MS,
);

test.each([
  ['healthcheck:', 'healtcheck:'],
  ['condition: service_healthy', 'condition: servic_healthy'],
  ['init: true', 'init: perhaps'],
])(
  'and refuses it with %s written as %s',
  (right, wrong) => {
    const path = join(folder, 'docker-compose.yml');
    writeFileSync(path, readProjectFile('docker-compose.yml').replace(right, wrong));
    expect(() => parsed(path)).toThrow();
  },
  BUILD_MS,
);
