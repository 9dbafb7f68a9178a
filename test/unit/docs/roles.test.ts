import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const [, section = ''] =
  /## Who can do what\n(.*?)\n## /s.exec(
    readFileSync(join(__dirname, '..', '..', '..', 'docs', 'security.md'), 'utf8'),
  ) ?? [];
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split('|').map((cell) => cell.trim()));

test.each(['owner', 'keeper', 'worker', 'auditor', 'viewer', 'operator', 'holder of an old backup'])(
  'the page on security says what the %s can do, and where this becomes visible',
  (role) => {
    const found = rows.filter(([, name = '']) => name === role || name.startsWith(`${role} of `));
    expect(found).toHaveLength(1);
    const [, , can = '', ...others] = found[0] ?? [];
    const shows = others.findLast((cell) => cell !== '') ?? '';
    expect(can.length).toBeGreaterThan(20);
    expect(shows.length).toBeGreaterThan(20);
  },
);
