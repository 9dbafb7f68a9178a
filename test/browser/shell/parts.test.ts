import { test } from '@jest/globals';
import { html, Html } from '../../../src/web/html';
import { columnChart, barChart } from '../../../console/overview/charts';
import { button, buttonLink, field, selectField, textArea } from '../../../src/web/shell/forms';
import { layout } from '../../../src/web/shell/layout';
import {
  badge,
  disclosure,
  emptyState,
  facts,
  notice,
  type Tone,
  pager,
  dataTable,
} from '../../../src/web/shell/parts';
import { ago, moment } from '../../../src/web/shell/time';
import { describeInBrowser } from '../../support/worlds/chromium';
import { expectGoodInEveryLook } from '../page-manners';
import { STYLE } from '../../../src/web/send-page';

const TONES: readonly Tone[] = ['good', 'busy', 'attention', 'bad', 'quiet'];
const LONG = 'a-key-of-many-letters-without-any-space-in-it-whatsoever-'.repeat(4);
const AT = '2026-03-01T12:00:00.000Z';

/** A page with all parts of the shell, some of them with texts that are too long. */
const EVERYTHING = layout({
  language: 'FR',
  title: LONG,
  product: 'paysession',
  head: new Html(`<style>${STYLE}</style>`),
  navigation: [
    { text: 'Aperçu', href: '/', isCurrent: true },
    { text: 'Sessions', href: '/sessions' },
  ],
  tools: html`<a href="/language" lang="en">English</a><span class="who">${LONG}</span>
    <form method="post">${button('Se déconnecter', 'plain')}</form>`,
  content: html`${TONES.map((tone) => badge(tone, tone))} ${badge(LONG, 'busy')}
    ${TONES.map((tone) => notice(tone, `${tone} ${LONG}`, LONG))} ${emptyState('Rien', LONG)}
    <div class="columns">
      <section class="card">
        <h2>Faits</h2>
        ${facts([
          ['Clé', html`<code>${LONG}</code>`],
          ['Depuis', ago(AT, { language: 'FR' })],
        ])}
      </section>
      <section class="card">
        <h2>Figures</h2>
        ${barChart(
          'Par statut',
          TONES.map((tone, value) => ({ text: `${tone}-${LONG}`, value, href: '/', tone })),
        )}
        ${columnChart({
          label: 'Par jour',
          labels: ['2026-03-01', '2026-03-02', '2026-03-03'],
          series: TONES.map((tone) => ({ text: tone, tone, values: [1, 5, 2] })),
          format: String,
        })}
      </section>
    </div>
    ${dataTable(
      'Sessions',
      ['Clé', 'Depuis', { text: 'Nombre', numeric: true }],
      [[html`<a href="/">${LONG}</a>`, moment(AT, { language: 'FR' }), '12']],
    )}
    ${pager({ language: 'FR', next: '/3', position: '51–100' })}
    ${disclosure(
      'Annuler…',
      html`<form method="post">
        ${field({ name: 'q', label: 'Recherche', type: 'search', hint: 'Clé ou référence', error: LONG })}
        ${selectField({ name: 'status', label: 'Statut', options: [{ value: '', text: LONG }] })}
        ${textArea({ name: 'reason', label: 'Motif', required: true })}
        ${button('Annuler la session', 'danger')} ${button('Autre', 'second')} ${button('Chercher')}
        ${buttonLink('Retour', '/')}
      </form>`,
    )}`,
}).text.replaceAll('<details', '<details open');

describeInBrowser('the parts of pages', (browser) => {
  test('have no axe-core violation and never scroll sideways, at all widths, in light and dark', async () => {
    const page = await browser().newPage();
    await page.setContent(EVERYTHING);
    await expectGoodInEveryLook(page);
  });
});
