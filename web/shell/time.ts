import { html, type Html } from '../html';
import type { Language } from '../language';
import { shellTexts } from './texts';

/** A moment to the second, in UTC; the script adds the reader's own time. */
export function moment(iso: string, language: Language = 'EN'): Html {
  return html`<time datetime="${iso}" data-local="${shellTexts(language).yourTime}">${utc(iso)}</time>`;
}

/** How long ago a moment was, with the moment itself as its title; the script keeps it up to date. */
export function ago(iso: string, language: Language, nowMs = Date.now()): Html {
  return html`<time datetime="${iso}" title="${utc(iso)}" data-ago
    >${relative(nowMs - Date.parse(iso), language)}</time
  >`;
}

const utc = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`;

const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];

/** As the script writes it, too. */
function relative(elapsedMs: number, language: Language): string {
  const format = new Intl.RelativeTimeFormat(language.toLowerCase(), { numeric: 'auto', style: 'short' });
  const [unit, lengthMs] = UNITS.find(([, ms]) => elapsedMs >= ms) ?? (['second', 1000] as const);
  return format.format(-Math.max(0, Math.floor(elapsedMs / lengthMs)), unit);
}

/** A length of time in its two largest units, such as `3 h 20 min`. */
export function duration(lengthMs: number, language: Language): string {
  const seconds = Math.max(0, Math.floor(lengthMs / 1000));
  const parts = [
    [Math.floor(seconds / 86_400), language === 'FR' ? 'j' : 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  const told = first === -1 ? parts.slice(-1) : parts.slice(first, first + 2);
  return told
    .filter(([count], index) => index === 0 || count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}
