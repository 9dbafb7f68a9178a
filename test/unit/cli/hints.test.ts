import { expect, test } from '@jest/globals';
import { asTyped, runnerOf } from '../../../cli/shared/output';

test.each([
  ['/shop/node_modules/.bin/paysession', 'npm/10.8.2 node/v20.20.2', 'npx '],
  ['C:\\shop\\node_modules\\.bin\\paysession.cmd', '', 'npx '],
  ['/home/a/.npm/_npx/1f2e/node_modules/.bin/paysession', 'npm/10.8.2', 'npx '],
  [
    '/shop/node_modules/.pnpm/paysession@0.1.0/node_modules/paysession/dist/cli/main.js',
    'pnpm/9.1.0',
    'pnpm exec ',
  ],
  ['/shop/node_modules/paysession/dist/cli/main.js', '', 'npx '],
  ['/usr/local/bin/paysession', '', ''],
  ['C:\\Users\\avery\\AppData\\Roaming\\npm\\node_modules\\paysession\\dist\\cli\\main.js', '', ''],
  ['C:\\shop\\node_modules\\paysession\\dist\\cli\\main.js', '', 'npx '],
  ['/clone/dist/cli/main.js', '', ''],
  ['/shop/node_modules/.bin/jest', 'npm/10.8.2', ''],
])(
  'a command line that was started as %s by "%s" shows commands with the prefix "%s"',
  (started, agent, runner) => {
    expect(runnerOf(started, agent)).toBe(runner);
  },
);

test('commands in advice and examples get the prefix, and other mentions of paysession do not', () => {
  expect(asTyped('Run `paysession dev`, or upgrade paysession.', 'npx ')).toBe(
    'Run `npx paysession dev`, or upgrade paysession.',
  );
  expect(asTyped('Example:\n  $ paysession list --ended', 'npx ')).toBe(
    'Example:\n  $ npx paysession list --ended',
  );
  expect(asTyped('Run `paysession dev`.', '')).toBe('Run `paysession dev`.');
});
