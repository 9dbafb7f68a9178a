import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { COLOURS, STYLE } from '../../../src/web/send-page';

const ROOT = join(__dirname, '..', '..', '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const FLOW = read('sandbox/flow/assets/flow.css');
const SHOP = read('examples/checkout/page/shop.css');

const definedIn = (style: string): ReadonlySet<string> =>
  new Set(Array.from(style.matchAll(/^\s*(--[\w-]+):/gm), ([, name = '']) => name));
const usedIn = (style: string): ReadonlySet<string> =>
  new Set(Array.from(style.matchAll(/var\((--[\w-]+)\)/g), ([, name = '']) => name));

describe('in the styles of pages', () => {
  test.each([
    ['the console and the sandbox’s own pages', STYLE],
    ['the hosted flow', COLOURS + FLOW],
    ['the sample shop', SHOP],
  ])('each variable in use has a value: %s', (_whose, style) => {
    const defined = definedIn(style);
    expect([...usedIn(style)].filter((name) => !defined.has(name))).toEqual([]);
  });

  test('each colour with a value is in use', () => {
    const used = usedIn(STYLE + FLOW);
    expect([...definedIn(COLOURS)].filter((name) => !used.has(name))).toEqual([]);
    expect([...definedIn(SHOP)].filter((name) => !usedIn(SHOP).has(name))).toEqual([]);
  });

  test.each([
    ['the console, the sandbox and the hosted flow', COLOURS],
    ['the sample shop', SHOP],
  ])('each colour has a light and a dark value: %s', (_whose, style) => {
    const [light = '', dark = ''] = style.split('@media (prefers-color-scheme: dark)');
    expect(definedIn(light).size).toBeGreaterThan(0);
    expect(definedIn(dark)).toEqual(definedIn(light));
  });
});

test('no style or script of a page contains text that ends its HTML element, such as </style>', () => {
  for (const text of [STYLE, FLOW, read('sandbox/flow/assets/flow.js')])
    expect(text).not.toMatch(/<\/(?:style|script)|<!--/i);
});
