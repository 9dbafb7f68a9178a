import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const PROJECT = join(__dirname, '..', '..', '..');
const read = (page: string) => readFileSync(join(PROJECT, page), 'utf8');

interface DirectionRule {
  readonly name: string;
  readonly from: { readonly path: string };
  readonly to: { readonly pathNot: readonly string[] };
}

const { forbidden } = createRequire(__filename)('../../../scripts/config/dependency-cruiser.cjs') as {
  readonly forbidden: readonly DirectionRule[];
};

const folderOf = (pattern: string) => pattern.replace(/^\^|\(\?:\/.*$/g, '');

/**
 * The folders that each folder may import, by the rules that dependency-cruiser enforces. Leaves out rules between parts of
 * one folder.
 */
const ENFORCED = new Map(
  forbidden
    .filter(({ name }) => name.endsWith('-imports'))
    .map(({ from, to }) => {
      const folder = folderOf(from.path);
      return [folder, to.pathNot.map(folderOf).filter((other) => other !== folder)] as const;
    })
    .filter(([folder]) => /^(src\/)?[^/]+$/.test(folder)),
);

const drawing = /```mermaid\n(.*?)```/s.exec(read('ARCHITECTURE.md'))?.[1] ?? '';

/** The lines inside the drawing's frame of `src`. The names in these lines are folders of `src`. */
const [, inSrc = ''] = /subgraph src\n(.*?)\n {2}end/s.exec(drawing) ?? [];
const outside = drawing.replace(inSrc, '');

/** Reads the arrows of the drawing's lines: `from --> a & b`, or `from -- a, b --> src` for the folders a and b of `src`. */
function arrowsOf(lines: string): readonly (readonly [string, readonly string[]])[] {
  return Array.from(
    lines.matchAll(/^ +(\S+)(?: --(?: ([^>]+) --)?> (.+))?$/gm),
    ([, from = '', label, to]) => {
      if (label !== undefined) return [from, label.split(', ').map((name) => `src/${name}`)] as const;
      return [from, to?.split(' & ') ?? []] as const;
    },
  );
}

/** Joins the arrows of each folder: a folder may have one line with a label and one line without. */
function joined(
  arrows: readonly (readonly [string, readonly string[]])[],
): ReadonlyMap<string, readonly string[]> {
  const map = new Map<string, readonly string[]>();
  for (const [from, to] of arrows) map.set(from, [...(map.get(from) ?? []), ...to]);
  return map;
}

const DRAWN = joined([
  ...arrowsOf(inSrc).map(([from, to]) => [`src/${from}`, to.map((name) => `src/${name}`)] as const),
  ...arrowsOf(outside).filter(([from]) => !['subgraph', 'flowchart', 'end'].includes(from)),
]);

const sorted = (arrows: ReadonlyMap<string, readonly string[]>) =>
  Object.fromEntries([...arrows].sort().map(([from, to]) => [from, [...to].sort()]));

describe('the drawing in ARCHITECTURE.md', () => {
  test('has the arrows that dependency-cruiser enforces, and no others', () => {
    expect(sorted(DRAWN)).toEqual(sorted(ENFORCED));
  });

  test('has no cycle of arrows', () => {
    const isOrAbove = (folder: string, other: string) => other === folder || folder.startsWith(`${other}/`);
    const reach = (from: string, seen = new Set<string>()): ReadonlySet<string> => {
      for (const [folder, others] of DRAWN) {
        if (!isOrAbove(folder, from)) continue;
        for (const other of others) if (!seen.has(other)) reach(other, seen.add(other));
      }
      return seen;
    };
    for (const folder of DRAWN.keys()) {
      const back = [...reach(folder)].filter((other) => isOrAbove(folder, other));
      expect([folder, back]).toEqual([folder, []]);
    }
  });

  test('has every folder and file of src but index.ts', () => {
    const parts = readdirSync(join(PROJECT, 'src')).filter((name) => name !== 'index.ts');
    expect([...DRAWN.keys()].filter((name) => name.startsWith('src/')).sort()).toEqual(
      parts.map((name) => `src/${name.replace(/[.]ts$/, '')}`).sort(),
    );
  });
});

const pages = [
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'docs/security.md',
  ...readdirSync(join(PROJECT, 'docs', 'decisions')).map((name) => `docs/decisions/${name}`),
];

describe.each(pages)('the page %s', (page) => {
  const quoted = Array.from(read(page).matchAll(/`([^`\s]+)`/g), ([, text = '']) => text);

  test('names files and folders that exist', () => {
    const roots = readdirSync(PROJECT).filter((name) => name !== 'node_modules' && name !== 'dist');
    const paths = quoted.filter((text) => text.includes('/') && roots.includes(text.split('/')[0] ?? ''));
    expect(paths.filter((path) => !existsSync(join(PROJECT, path)))).toEqual([]);
  });

  test('names scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: object };
    const named = Array.from(read(page).matchAll(/npm run (?:--silent )?([\w:]+)/g), ([, script]) => script);
    expect(named.filter((script) => script !== undefined && !(script in scripts))).toEqual([]);
  });
});
