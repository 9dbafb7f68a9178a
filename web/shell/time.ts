import { html, type Html } from '../html';
import { LOCALES, type Language } from '../language';
import { clockIn } from '../zoned-time';
import { shellTexts } from './texts';

/** How times are told. */
export interface Locale {
  readonly language: Language;
  /** A name of the IANA time zone database. @default 'UTC' */
  readonly timeZone?: string;
}

/** A moment to the second, in the time zone; the script tells the reader's own time as well. */
export function moment(iso: string, locale: Locale = { language: 'EN' }): Html {
  const { yourTime } = shellTexts(locale.language);
  return html`<time datetime="${iso}" data-local="${yourTime}">${inZone(iso, locale)}</time>`;
}

/** How long ago a moment was, with the moment itself as its title; the script keeps it up to date. */
export function ago(iso: string, locale: Locale, nowMs = Date.now()): Html {
  return html`<time datetime="${iso}" title="${inZone(iso, locale)}" data-ago
    >${relative(nowMs - Date.parse(iso), locale.language)}</time
  >`;
}

function inZone(iso: string, { language, timeZone = 'UTC' }: Locale): string {
  const at = new Date(iso);
  // A payment service may give anything for a time.
  if (Number.isNaN(at.getTime())) return iso.slice(0, 19);
  const { day, time, zone } = clockIn(at, timeZone, LOCALES[language]);
  return `${day} ${time} ${zone}`;
}

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
