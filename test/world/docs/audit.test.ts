import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { PROJECT, readProjectFile } from '../../support/compose/load-compose';

const folder = mkdtempSync(join(tmpdir(), 'paysession-audit-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Runs the audit of the release checklist with an npm that prints `answer` and exits with `exitCode`. */
function auditWith(answer: object, exitCode: number) {
  const npm = join(folder, 'npm');
  writeFileSync(npm, `#!/bin/sh\ncat <<'JSON'\n${JSON.stringify(answer)}\nJSON\nexit ${exitCode}\n`);
  chmodSync(npm, 0o755);
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` };
  const script = join(PROJECT, 'scripts', 'audit.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { env, encoding: 'utf8' });
  return { status, said: `${stdout}${stderr}` };
}

test('the release checklist runs the audit', () => {
  expect(readProjectFile('CONTRIBUTING.md').split('## Release')[1]).toContain('`npm run audit:release`');
  const { scripts } = JSON.parse(readProjectFile('package.json')) as { scripts: Record<string, string> };
  expect(scripts['audit:release']).toBe('node scripts/audit.mjs');
});

test('an audit with a vulnerability exits 1, and prints the package', () => {
  const finding = { name: 'undici', severity: 'high', range: '<7.0.1' };
  const { status, said } = auditWith({ auditReportVersion: 2, vulnerabilities: { undici: finding } }, 1);
  expect([status, said]).toEqual([1, 'high: undici <7.0.1\n']);
});

test('an audit without a vulnerability exits 0', () => {
  const { status, said } = auditWith({ auditReportVersion: 2, vulnerabilities: {} }, 0);
  expect([status, said]).toEqual([0, 'The registry knows no vulnerability of the dependencies.\n']);
});

test('an audit exits 0 if the registry does not answer, and prints that nothing was audited', () => {
  const { status, said } = auditWith({ message: '405 Method Not Allowed', error: { summary: '' } }, 1);
  expect(status).toBe(0);
  expect(said).toContain('Not audited: the registry does not answer (405 Method Not Allowed)');
});
