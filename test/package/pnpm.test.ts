import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { commandOf, filesOf, typeScriptSnippets, writeTypeScript } from '../support/docs/snippets';
import { createFreshProject, withPnpm, type FreshProject, README_INSTALL } from './fresh-project';
import { ALL, loadOn, NODE_VERSIONS } from './loading';

/** A strict pnpm project: a package can load only the packages that it declares. */
let project: FreshProject;

/** The packages that the docs’ commands install for TypeScript and vitest. */
const DEVELOPMENT = [/ typescript /, / vitest/].flatMap((tool) =>
  commandOf('docs/guides/testing.md', new RegExp(`^npm install .*${tool.source}`))
    .split(' ')
    .slice(3),
);

/** The packages that the docs’ commands install for traces and for receiving webhooks. */
const ADDITIONAL = ['tracing', 'webhooks'].flatMap((page) =>
  commandOf(`docs/guides/${page}.md`, /^npm install /)
    .split(' ')
    .slice(2),
);

beforeAll(async () => {
  const strict = ['engine-strict=true', 'strict-peer-dependencies=true', 'hoist=false'].map(
    (set) => `--config.${set}`,
  );
  project = await createFreshProject({ pnpm: ['npx', '-y', 'pnpm@10', ...strict] });
  await project.write(
    new Map([['pnpm-workspace.yaml', filesOf('docs/install.md').get('pnpm-workspace.yaml') ?? '']]),
  );
  await project.command(withPnpm(README_INSTALL));
  await project.command(`pnpm add --save-dev ${DEVELOPMENT.join(' ')}`);
  await project.command(`pnpm add ${ADDITIONAL.join(' ')}`);
  writeTypeScript(project.folder, typeScriptSnippets());
});

afterAll(() => project.close());

test('in a strict pnpm project, the docs’ snippets and the package’s types compile, and the docs’ test passes', async () => {
  const tsc = join(project.folder, 'node_modules', '.bin', 'tsc');
  const { output } = await project.run(tsc, '--skipLibCheck', 'false');
  // Temporal’s own type declarations have errors. Their lines begin with another path in `node_modules`, and are ignored.
  const ours = /^(?!node_modules\/| )|node_modules\/paysession\//;
  expect(output.split('\n').filter((line) => line !== '' && ours.test(line))).toEqual([]);
  const tests = await project.run(process.execPath, '--test', join('testing', 'order.test.js'));
  expect(tests.output).toMatch(/^(#|ℹ) pass 1$/m);
});

test.each(NODE_VERSIONS)(
  'in a strict pnpm project on Node %i, every subpath can be required and imported without a warning',
  async (version) => {
    expect(await loadOn(version, project)).toBe(`v${version} ${ALL.length}\n`);
  },
);
