import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { createSandbox } from '../../sandbox';
import { CONTROL_ROUTES } from '../../sandbox/control/routes';
import { masked } from '../support/other-sdk/guide-json';

const page = readFileSync(join(__dirname, '..', '..', 'docs', 'guides', 'sandbox-control.md'), 'utf8');

/** The commands on the page, each with the answer that the page shows for it, if any. */
const examples = [...page.matchAll(/```sh\n(.*?)```(?:\n\n```json\n(.*?)```)?/gs)]
  .map(([, command = '', answer]) => ({ command, answer }))
  .filter(({ command }) => command.includes('curl'));

const SEPARATOR = '--- the next example ---';

test('the sandbox’s control port answers each command in its guide as the guide shows', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paysession-control-page-'));
  const sandbox = createSandbox();
  try {
    const { port } = await sandbox.listen();
    const control = await sandbox.listenControl();
    const script = examples
      .map(({ command }) => `${command}\necho '\n${SEPARATOR}'`)
      .join('\n')
      .replaceAll('127.0.0.1:4010', `127.0.0.1:${port}`)
      .replaceAll('127.0.0.1:4011', `127.0.0.1:${control.port}`);
    const { stdout, stderr } = await promisify(execFile)('sh', ['-euc', script], { cwd: folder });
    expect(stderr).toBe('');
    const answers = stdout.split(SEPARATOR).slice(0, -1);
    expect(answers.length).toBe(examples.length);
    for (const [index, { command, answer }] of examples.entries()) {
      const given = answers[index]?.trim() ?? '';
      if (answer === undefined) expect([command, given]).toEqual([command, '']);
      else expect([command, masked(given)]).toEqual([command, masked(answer)]);
    }
    expect(examples.length).toBeGreaterThan(9);
  } finally {
    await sandbox.close();
    rmSync(folder, { recursive: true });
  }
});

test.each(Object.values(CONTROL_ROUTES).map((route) => [route.method, route.path, route.summary]))(
  'the page about the sandbox’s control port lists %s %s',
  (method, path, summary) => {
    const request = `${method} ${path}`.replace(/:\w+/, 'ID');
    expect(page).toMatch(
      new RegExp(`\\| \`${request}\` +\\| ${summary.replaceAll('?', String.raw`\?`)} +\\|`),
    );
  },
);
