import { describe, expect, test } from '@jest/globals';
import { html, type Html } from '../../../../src/web/html';
import { columnChart, niceTop, barChart } from '../../../../console/overview/charts';
import { button, field, hidden, selectField, textArea } from '../../../../src/web/shell/forms';
import { layout } from '../../../../src/web/shell/layout';
import {
  badge,
  disclosure,
  emptyState,
  facts,
  notice,
  pager,
  dataTable,
} from '../../../../src/web/shell/parts';
import { ago, duration, moment } from '../../../../src/web/shell/time';

const HOSTILE = '"><script>alert(1)</script>';

const PARTS: readonly (readonly [string, Html])[] = [
  ['badge', badge(HOSTILE, 'good')],
  ['facts', facts([[HOSTILE, HOSTILE]])],
  ['notice', notice('bad', HOSTILE, HOSTILE)],
  ['empty state', emptyState(HOSTILE, HOSTILE)],
  ['disclosure', disclosure(HOSTILE, html`${HOSTILE}`)],
  ['table', dataTable(HOSTILE, [HOSTILE, { text: HOSTILE, numeric: true }], [[HOSTILE, html`${HOSTILE}`]])],
  ['field', field({ name: HOSTILE, label: HOSTILE, value: HOSTILE, hint: HOSTILE, error: HOSTILE })],
  ['text area', textArea({ name: 'a', label: HOSTILE, value: `</textarea>${HOSTILE}` })],
  [
    'select field',
    selectField({ name: 'a', label: 'A', value: HOSTILE, options: [{ value: HOSTILE, text: HOSTILE }] }),
  ],
  ['button', button(HOSTILE, 'danger', { name: HOSTILE, value: HOSTILE })],
  ['hidden field', hidden(HOSTILE, HOSTILE)],
  ['bar chart', barChart(HOSTILE, [{ text: HOSTILE, value: 1, shown: HOSTILE, href: HOSTILE }])],
  [
    'column chart',
    columnChart({
      label: HOSTILE,
      labels: [HOSTILE],
      series: [{ text: HOSTILE, tone: 'good', values: [1] }],
      format: () => HOSTILE,
    }),
  ],
  ['moment', moment(HOSTILE)],
  ['pager', pager({ language: 'EN', next: HOSTILE, position: HOSTILE })],
  [
    'layout',
    layout({
      language: 'EN',
      title: HOSTILE,
      product: HOSTILE,
      head: html``,
      navigation: [{ text: HOSTILE, href: HOSTILE }],
      content: html`${HOSTILE}`,
    }),
  ],
];

describe('parts of pages', () => {
  test.each(PARTS)('escape hostile text (%s)', (_name, { text }) => {
    expect(text).toContain('&#60;script&#62;');
    expect(text).not.toMatch(/<script|<\/textarea>"|""/);
  });

  test('have no inline styles or scripts', () => {
    for (const [, { text }] of PARTS) expect(text).not.toMatch(/ style=| on[a-z]+="/);
  });

  test('include a badge that shows its state by text and shape, not only by colour', () => {
    const shapes = (['good', 'busy', 'attention', 'bad', 'quiet'] as const).map(
      (tone) => / d="(.*?)"/.exec(badge('State', tone).text)?.[1],
    );
    expect(new Set(shapes).size).toBe(5);
    expect(badge('Failed', 'bad').text).toContain('</svg>Failed</span>');
  });

  test('include a field that is linked to its label, hint and error, for screen readers', () => {
    const { text } = field({
      name: 'reason',
      label: 'Reason',
      hint: 'Short',
      error: 'Missing',
      required: true,
    });
    expect(text).toContain('<label for="reason">Reason</label>');
    expect(text).toMatch(/<input[^>]*aria-describedby="reason-hint reason-error"[^>]*aria-invalid="true"/s);
    expect(text).toMatch(/<input[^>]* required/s);
  });

  test('include a text area that keeps a line break at the beginning of its text', () => {
    expect(textArea({ name: 'a', label: 'A', value: '\nline' }).text).toMatch(/>\n\nline<\/textarea>/);
    expect(textArea({ name: 'a', label: 'A' }).text).toMatch(/>\n<\/textarea>/);
  });

  test('include a table in which each cell names its column, and numbers have the class `number`', () => {
    const { text } = dataTable('Counts', ['Status', { text: 'Count', numeric: true }], [['Failed', '3']]);
    expect(text).toMatch(/<td data-column="Status" *>/);
    expect(text).toMatch(/<td data-column="Count" class="number" *>/);
  });

  test('include a bar chart with bars in proportion to the longest bar, and with the values as text', () => {
    const { text } = barChart('By status', [
      { text: 'Failed', value: 5 },
      { text: 'Expired', value: 20 },
      { text: 'Cancelled', value: 0 },
    ]);
    expect([...text.matchAll(/class="fill" width="(\d+)"/g)].map(([, width]) => width)).toEqual([
      '25',
      '100',
      '0',
    ]);
    expect(
      text
        .replaceAll(/<[^>]*>/g, ' ')
        .split(/\s+/)
        .join(' '),
    ).toContain('Failed 5 Expired 20 Cancelled 0');
  });

  test.each([[[]], [[0, 0]], [[7]], [[1, 2, 3]]])(
    'include a column chart: with the values %j, its columns have finite heights within the axis',
    (values) => {
      const series = [{ text: 'Paid', tone: 'good' as const, values }];
      const { text } = columnChart({ label: 'Per day', labels: values.map(String), series, format: String });
      expect(text).not.toMatch(/NaN|Infinity|undefined/);
      for (const [, height] of text.matchAll(/<rect [^>]* height="(.*?)"/g))
        expect(Number(height)).toBeLessThanOrEqual(100);
    },
  );

  test.each([
    [0, 2],
    [3, 4],
    [7, 8],
    [11, 20],
    [100, 100],
    [101, 200],
    [123_456, 200_000],
  ])('include a column chart: with values up to %d, its axis ends at %d', (highest, top) => {
    expect(niceTop(highest)).toBe(top);
  });

  test('include a pager, which is empty without another page', () => {
    expect(pager({ language: 'EN' }).text).toBe('');
    expect(pager({ language: 'FR', next: '?page=2' }).text).toContain('>Suivant</a>');
  });
});

describe('times on pages', () => {
  const AT = '2026-03-01T12:00:00.000Z';

  test('are in UTC by default', () => {
    expect(moment(AT).text).toContain('>2026-03-01 12:00:00 UTC</time>');
    expect(moment(AT, { language: 'FR' }).text).toContain('data-local="heure locale"');
  });

  test('are local times of the given time zone, with the zone’s name in the reader’s language', () => {
    const timeZone = 'America/Toronto';
    expect(moment(AT, { language: 'EN', timeZone }).text).toContain('>2026-03-01 07:00:00 EST</time>');
    expect(moment(AT, { language: 'FR', timeZone }).text).toContain('>2026-03-01 07:00:00 HNE</time>');
    expect(ago(AT, { language: 'EN', timeZone }, 0).text).toContain('title="2026-03-01 07:00:00 EST"');
  });

  test.each([
    [1_000, /1 sec. ago/, /il y a 1\ss/],
    [59_999, /59 sec/, /59\ss/],
    [60_000, /1 min. ago/, /il y a 1\smin/],
    [3 * 3_600_000, /3 hr. ago/, /il y a 3\sh/],
    [2 * 86_400_000, /2 days ago/, /avant-hier/],
    [-5_000, /now/, /maintenant/],
  ])('can be shown as the time that has passed: %d ms', (elapsedMs, english, french) => {
    const nowMs = Date.parse(AT) + elapsedMs;
    expect(ago(AT, { language: 'EN' }, nowMs).text).toMatch(english);
    expect(ago(AT, { language: 'FR' }, nowMs).text).toMatch(french);
  });

  test.each([
    [0, '0 s', '0 s'],
    [61_000, '1 min 1 s', '1 min 1 s'],
    [3_600_000, '1 h', '1 h'],
    [90_061_000, '1 d 1 h', '1 j 1 h'],
  ])('can be shown as durations: %d ms', (lengthMs, english, french) => {
    expect([duration(lengthMs, 'EN'), duration(lengthMs, 'FR')]).toEqual([english, french]);
  });
});
