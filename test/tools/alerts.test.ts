import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const FOLDER = join(__dirname, '..', '..', 'deploy', 'prometheus');

/** Runs `promtool`, a tool of Prometheus. If `promtool` is missing, the test fails, because nothing else checks the alert rules. */
function promtool(...args: readonly string[]): string {
  try {
    return execFileSync('promtool', args, { cwd: FOLDER, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new Error('promtool is missing. Install it, for instance: apt-get install prometheus', {
        cause: error,
      });
    }
    if (error instanceof Error && 'stdout' in error) {
      throw new Error(`${error.message}\n${String(error.stdout)}`, { cause: error });
    }
    throw error;
  }
}

test('promtool accepts the Prometheus alert rules', () => {
  expect(promtool('check', 'rules', 'alerts.yml')).toContain('SUCCESS');
});

test('each Prometheus alert fires if its condition is met, and only then', () => {
  expect(promtool('test', 'rules', join(__dirname, 'alerts.promtool.yml'))).toContain('SUCCESS');
});
