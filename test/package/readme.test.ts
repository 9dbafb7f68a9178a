import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { startPaysession, type Running } from '../support/cli/run-paysession';
import { commandOf, filesOf } from '../support/docs/snippets';
import { createFreshProject, README_INSTALL, withPnpm, type FreshProject } from './fresh-project';

/** The README's first payment as it is printed, from the install to the line that it promises, beside a tsconfig.json. */

const README = 'README.md';

let project: FreshProject;
let dev: Running | undefined;

afterEach(async () => {
  await dev?.interrupt();
  await project.close();
});

const PACKAGE_MANAGERS = {
  npm: ['npm', '--engine-strict', '--prefer-offline', '--no-audit', '--no-fund'],
  pnpm: ['npx', '-y', 'pnpm@12', '--config.engine-strict=true'],
};

test.each([
  ['npm', 'commonjs'],
  ['npm', 'module'],
  ['pnpm', 'commonjs'],
  ['pnpm', 'module'],
] as const)(
  'with %s in a project of type %s the order ships, and that line alone is printed',
  async (name, type) => {
    project = await createFreshProject({ [name]: PACKAGE_MANAGERS[name] }, type);
    const command = (line: string) => project.command(name === 'pnpm' ? withPnpm(line) : line);
    await project.write(
      new Map([...filesOf(README), ['tsconfig.json', '{ "compilerOptions": { "strict": true } }']]),
    );
    await command(README_INSTALL);
    await command(commandOf(README, /^npm install --save-dev /));
    expect(await command(commandOf(README, /^npx tsc /))).toBe('');

    const ports = ['engine', 'ui', 'sandbox', 'shop', 'console'].flatMap((port) => [`--${port}-port`, '0']);
    const main = join(project.folder, 'node_modules', 'paysession', 'dist', 'cli', 'main.js');
    dev = startPaysession(['dev', '--data', join(project.folder, '.paysession'), ...ports], {}, main);
    const address = (await dev.line(/^Temporal/)).split(/\s+/)[1] ?? '';
    await dev.line(/^Ctrl-C/);
    const atEngine = `env TEMPORAL_ADDRESS=${address} `;
    expect(await command(`${atEngine}${commandOf(README, /^node /)}`)).toMatch(/^order-\d+ is shipped\n$/);
    expect(await command('npx paysession --version')).toMatch(/\d+\.\d+\.\d+\n$/);
  },
  240_000,
);
