import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { FREE_PORTS } from '../support/cli/dev';
import { startPaysession, type Running } from '../support/cli/run-paysession';
import { commandOf, filesOf } from '../support/docs/snippets';
import { createFreshProject, README_INSTALL, withPnpm, type FreshProject } from './fresh-project';

// Follows the README and the quickstart exactly, from the install command to the printed output of the first payment. The project has a
// tsconfig.json, as a user’s project may.

const README = 'README.md';
const QUICKSTART = 'docs/quickstart.md';

const PACKAGE_MANAGERS = {
  npm: ['npm', '--engine-strict', '--prefer-offline', '--no-audit', '--no-fund'],
  pnpm: ['npx', '-y', 'pnpm@12', '--config.engine-strict=true'],
};

describe.each(['npm', 'pnpm'] as const)('with %s', (name) => {
  let project: FreshProject;
  let dev: Running | undefined;

  const command = (line: string) => project.command(name === 'pnpm' ? withPnpm(line) : line);

  beforeAll(async () => {
    project = await createFreshProject({ [name]: PACKAGE_MANAGERS[name] });
    await project.write(
      new Map([
        ...['docs/install.md', README, QUICKSTART].flatMap((page) => [...filesOf(page)]),
        ['tsconfig.json', '{ "compilerOptions": { "strict": true } }'],
      ]),
    );
    await command(README_INSTALL);
    await command(commandOf(QUICKSTART, /^npm install --save-dev /));
  });

  afterEach(async () => {
    await dev?.interrupt();
    dev = undefined;
  });

  afterAll(() => project.close());

  test.each(['commonjs', 'module'] as const)(
    'in a project of type %s, the README’s payment is paid, the quickstart’s order ships, and no other line is printed',
    async (type) => {
      await project.setType(type);
      expect(await command(commandOf(QUICKSTART, /^npx tsc /))).toBe('');
      const main = join(project.folder, 'node_modules', 'paysession', 'dist', 'cli', 'main.js');
      dev = startPaysession(
        ['dev', '--data', join(project.folder, `.paysession-${type}`), ...FREE_PORTS],
        {},
        main,
      );
      const address = (await dev.line(/^Temporal/)).split(/\s+/)[1] ?? '';
      await dev.line(/^Ctrl-C/);
      const atTemporal = `env TEMPORAL_ADDRESS=${address} `;
      expect(await command(`${atTemporal}${commandOf(README, /^node /)}`)).toMatch(
        /^order-\d+ http\S+\ntrue EFT0301\n$/,
      );
      expect(await command(`${atTemporal}${commandOf(QUICKSTART, /^node /)}`)).toMatch(
        /^order-\d+ is shipped\n$/,
      );
      expect(await command('npx paysession --version')).toMatch(/\d+\.\d+\.\d+\n$/);
    },
  );
});
