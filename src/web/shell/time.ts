import { html, type Html } from '../html';
import { LOCALES, type Language } from '../language';
import { shellTexts } from './texts';

/** The language and the time zone in which times are shown. */
export interface Locale {
  readonly language: Language;
  /** A name of the IANA time zone database. @default 'UTC' */
  readonly timeZone?: string;
}

/** Shows a time to the second, in the locale's time zone. The page's script adds the time in the reader's own time zone. */
export function moment(iso: string, locale: Locale = { language: 'EN' }): Html {
  const { yourTime } = shellTexts(locale.language);
  return html`<time datetime="${iso}" data-local="${yourTime}">${inZone(iso, locale)}</time>`;
}

/** Shows how long ago a time was, with the time itself as the title. The page's script keeps the text up to date. */
export function ago(iso: string, locale: Locale, nowMs = Date.now()): Html {
  return html`<time datetime="${iso}" title="${inZone(iso, locale)}" data-ago
    >${relative(nowMs - Date.parse(iso), locale.language)}</time
  >`;
}

function inZone(iso: string, { language, timeZone = 'UTC' }: Locale): string {
  const at = new Date(iso);
  // The text may be invalid, because a payment service may send any text as a time.
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

/** Formats an age. `page.js` later updates the text in the same way. */
function relative(elapsedMs: number, language: Language): string {
  const format = new Intl.RelativeTimeFormat(language.toLowerCase(), { numeric: 'auto', style: 'short' });
  const [unit, lengthMs] = UNITS.find(([, ms]) => elapsedMs >= ms) ?? (['second', 1000] as const);
  return format.format(-Math.max(0, Math.floor(elapsedMs / lengthMs)), unit);
}

/** Formats a duration in its two largest units, such as `3 h 20 min`. */
export function duration(lengthMs: number, language: Language): string {
  const seconds = Math.max(0, Math.floor(lengthMs / 1000));
  const parts = [
    [Math.floor(seconds / 86_400), language === 'FR' ? 'j' : 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  const largest = first === -1 ? parts.slice(-1) : parts.slice(first, first + 2);
  return largest
    .filter(([count], index) => index === 0 || count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** The time that clocks in a time zone show. */
interface Clock {
  /** Such as `2026-03-01`. */
  readonly day: string;
  /** Such as `23:30:00`. */
  readonly time: string;
  /** Such as `EST`. */
  readonly zone: string;
}

/** A cache of formats, one for each language and time zone, because making a format is slow. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the time that clocks in a time zone show, with the zone's short name in a language, such as `EST` or `HNE`. */
export function clockIn(at: Date, timeZone: string, locale = 'en-CA'): Clock {
  const name = `${locale} ${timeZone}`;
  const format = formats.get(name) ?? newFormat(timeZone, locale);
  formats.set(name, format);
  const parts = format.formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((one) => one.type === type)?.value ?? '';
  return {
    day: `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`,
    time: `${part('hour')}:${part('minute')}:${part('second')}`,
    zone: part('timeZoneName'),
  };
}

const newFormat = (timeZone: string, locale: string) =>
  new Intl.DateTimeFormat(locale, {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  });

/**
 * Returns the moment at which clocks in a time zone show a time, such as `2026-03-01T23:30`. If the clocks show the time twice,
 * because they are put back, returns the first moment. If the clocks skip the time, because they are put forward, returns the moment
 * that is later by the skipped time. Returns an invalid `Date` for an invalid time, such as February 30.
 */
export function momentIn(local: string, timeZone: string): Date {
  const asUtc = new Date(`${local}Z`);
  if (Number.isNaN(asUtc.getTime()) || !asUtc.toISOString().startsWith(local.slice(0, 10)))
    return new Date(NaN);
  const wanted = asUtc.getTime();
  // Tries the zone's offsets half a day before and half a day after. One of them is right, unless the clocks skip the
  // time.
  const possible = [-HALF_A_DAY_MS, HALF_A_DAY_MS]
    .map((apart) => {
      const near = new Date(wanted + apart);
      return wanted - (shownAsUtc(near, timeZone) - near.getTime());
    })
    // A day after the year 9999 cannot be parsed.
    .filter((ms) => !Number.isNaN(ms));
  const exact = possible.filter((ms) => shownAsUtc(new Date(ms), timeZone) === wanted);
  return new Date(exact.length > 0 ? Math.min(...exact) : Math.max(...possible));
}

const HALF_A_DAY_MS = 12 * 60 * 60_000;

function shownAsUtc(at: Date, timeZone: string): number {
  const { day, time } = clockIn(new Date(Math.floor(at.getTime() / 1_000) * 1_000), timeZone);
  return Date.parse(`${day}T${time}Z`) + (((at.getTime() % 1_000) + 1_000) % 1_000);
}

/** Returns the day that is `days` days after `day`. */
export const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
