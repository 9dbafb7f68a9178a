import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const FOLDER = join(__dirname, '..', '..', 'deploy', 'prometheus');

/** Runs Prometheus' own tool. Throws if the tool is missing, because nothing else checks the rules. */
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

test('the Prometheus alert rules are well formed', () => {
  expect(promtool('check', 'rules', 'alerts.yml')).toContain('SUCCESS');
});

test('each Prometheus alert fires on its condition, and does not fire without it', () => {
  expect(promtool('test', 'rules', join(__dirname, 'alerts.promtool.yml'))).toContain('SUCCESS');
});
