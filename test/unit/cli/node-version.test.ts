import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { nodeTooOld, OLDEST_NODE } from '../../../cli/node-version';

test.each(['12.22.0', '18.20.4', '20.18.3'])(
  'Node %s is too old, and the message names the version that is needed',
  (version) => {
    expect(nodeTooOld(version)).toBe(
      `paysession needs Node 20.19 or later, and this is Node ${version}. Install Node 22 or 24, and run it again.`,
    );
  },
);

test.each(['20.19.0', '20.20.2', '22.0.0', '24.1.0'])('Node %s is not too old', (version) => {
  expect(nodeTooOld(version)).toBeUndefined();
});

test('the oldest supported Node is the version in package.json', () => {
  const { engines } = JSON.parse(readFileSync(join(__dirname, '../../../package.json'), 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  expect(engines.node).toBe(`>=${OLDEST_NODE}`);
});
