import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { describeInBrowser } from '../support/worlds/chromium';
import { STYLE } from '../../src/web/send-page';

const ROOT = join(__dirname, '..', '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const STYLES = {
  'the console and the sandbox’s own pages': STYLE,
  'the hosted flow': read('src/web/assets/colours.css') + read('sandbox/flow/assets/flow.css'),
  'the sample shop': read('examples/checkout/page/shop.css'),
};

/**
 * Returns a script that finds what Chromium drops of a stylesheet because it does not understand it: the number of rules, and the
 * declarations. For a value with `var`, only the property is compared.
 */
const dropped = (style: string): string => `{
  const style = ${JSON.stringify(style)}.replace(/\\/\\*[^]*?\\*\\//g, '');
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  const count = (rules) => [...rules].reduce((sum, rule) => sum + 1 + count(rule.cssRules ?? []), 0);
  const declarations = [...style.matchAll(/[{;]\\s*([\\w-]+)\\s*:\\s*([^{};]+)(?=;)/g)];
  ({
    rules: style.split('{').length - 1 - count(sheet.cssRules),
    checked: declarations.length,
    declarations: declarations
      .filter(([, name, value]) => !CSS.supports(name, value.replace(/!important/, '').trim()))
      .map(([, name, value]) => name + ': ' + value),
  });
}`;

describeInBrowser('the styles of pages', (browser) => {
  test.each(Object.entries(STYLES))('contain nothing that the browser drops: %s', async (_whose, style) => {
    const page = await browser().newPage();
    expect(await page.evaluate(dropped(style))).toEqual({
      rules: 0,
      declarations: [],
      checked: style.replace(/\/\*[^]*?\*\//g, '').split(';').length - 1,
    });
  });
});
