import { z } from 'zod';
import { decimalPlaces, MAXIMUM_AMOUNT, MINIMUM_AMOUNT } from './money';
import { codePoints, isWellFormed } from './text';

/** Field schemas shared by the parts of the creation request. Lengths count Unicode code points (contract A18). */

export const text = (maxLength: number) =>
  z
    .string()
    .refine((value) => codePoints(value) <= maxLength, `must have at most ${maxLength} characters`)
    .refine(isWellFormed, 'must not hold half a character (a lone surrogate)')
    .meta({ maxLength });

/** Present and not blank, at most `maxLength` characters. */
export const filledText = (maxLength: number) =>
  text(maxLength)
    .refine((value) => /\S/u.test(value), 'must not be blank')
    .meta({ maxLength, minLength: 1, pattern: '\\S' });

export const email = z
  .email('must be an email address')
  .refine((value) => codePoints(value) <= 100, 'must have at most 100 characters')
  .meta({ maxLength: 100 });

export const digits = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(
      new RegExp(`^[0-9]{${minimum},${maximum}}$`),
      minimum === maximum ? `must be ${minimum} digits` : `must be ${minimum} to ${maximum} digits`,
    );

/** Dollars: at least 0.01, at most two decimals judged on the decimal text (contract A13), and cents that a number can hold. */
export const amount = z
  .number()
  .min(MINIMUM_AMOUNT, `must be at least ${MINIMUM_AMOUNT}`)
  .max(MAXIMUM_AMOUNT, `must be at most ${MAXIMUM_AMOUNT}`)
  .refine((value) => decimalPlaces(value) <= 2, 'must have at most 2 decimal places')
  .meta({ multipleOf: 0.01 });

/** A host right after the slashes, without a user; no white space or backslash, which URL parsers drop or change. */
const WEB_URI = /^[hH][tT][tT][pP][sS]?:\/\/[^\s\\/?#@]+([/?#][^\s\\]*)?$/;

/** Control characters, invisible ones and halves of characters: nobody sees them, and parsers disagree on them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}]/u;

/** Only what every reader takes for the same place: who puts a URL together and who follows it use different parsers. */
const isWebUri = (value: string): boolean =>
  WEB_URI.test(value) && !UNSEEN.test(value) && URL.canParse(value);

/** An absolute http or https URI (contract A17). */
export const webUri = z
  .string()
  .refine(isWebUri, 'must be an absolute http or https URI, without user or password')
  .max(2048, 'must have at most 2048 characters')
  .meta({ format: 'uri', pattern: WEB_URI.source });

const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

/** `yy-MM-dd`, or with a four-digit year; a two-digit year stands for either century (contract A19). */
export function isBirthDate(value: string): boolean {
  const [, yearText, monthText, dayText] = /^(\d{2}|\d{4})-(\d{2})-(\d{2})$/.exec(value) ?? [];
  if (yearText === undefined) return false;
  const [year, month, day] = [Number(yearText), Number(monthText), Number(dayText)];
  if (month < 1 || month > 12 || day < 1) return false;
  const years = yearText.length === 2 ? [1900 + year, 2000 + year] : [year];
  return years.some((candidate) => day <= daysIn(candidate, month));
}

export const birthDate = z
  .string()
  .refine(isBirthDate, 'must be a real date in the form yy-MM-dd')
  .meta({ pattern: '^(\\d{2}|\\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$' });
