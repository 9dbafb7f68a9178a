/** The languages of pages and mails (contract rule A16, docs/contract.md). */
export type Language = 'EN' | 'FR';

/** The locale of each language, for the `Intl` objects. */
export const LOCALES: Readonly<Record<Language, string>> = { EN: 'en-CA', FR: 'fr-CA' };

/** A cache of formats. To make a format takes fifty times as long as to format an amount. */
const formats = new Map<Language, Intl.NumberFormat>();

/** Formats dollars in a language, followed by the currency's code. */
export function formatMoney(amount: number, language: Language, currency = 'CAD'): string {
  return `${formatOf(language).format(amount)} ${currency}`;
}

function formatOf(language: Language): Intl.NumberFormat {
  const format =
    formats.get(language) ?? new Intl.NumberFormat(LOCALES[language], { style: 'currency', currency: 'CAD' });
  formats.set(language, format);
  return format;
}

/** Formats a count, with the digits grouped as usual in the language. */
export const formatCount = (count: number, language: Language): string =>
  count.toLocaleString(LOCALES[language]);

/** The form of a text: one text, several texts, or a function that inserts values into a text. */
type TextForm = string | readonly string[] | ((...words: never[]) => string);

/** One text in both languages. A text without French does not compile. */
export type Text<T extends TextForm = string> = Readonly<Record<Language, T>>;

/** A message: a heading of a few words, and a body that says what the heading means or what to do. */
export interface Message {
  readonly heading: Text;
  readonly body: Text;
}

/** The texts of a page, by name. */
export interface Catalogue {
  readonly [name: string]: Text<TextForm> | Catalogue;
}

/** A catalogue in one language. */
export type InLanguage<T> = T extends Text<infer S> ? S : { readonly [Name in keyof T]: InLanguage<T[Name]> };

/** Returns a function that returns a catalogue's texts in one language. */
export function languagesOf<T extends Catalogue>(catalogue: T): (language: Language) => InLanguage<T> {
  const texts = { EN: inLanguage(catalogue, 'EN'), FR: inLanguage(catalogue, 'FR') };
  return (language) => texts[language] as InLanguage<T>;
}

function inLanguage(catalogue: Catalogue, language: Language): unknown {
  return Object.fromEntries(
    Object.entries(catalogue).map(([name, entry]) => [
      name,
      isText(entry) ? entry[language] : inLanguage(entry, language),
    ]),
  );
}

const isText = (entry: Text<TextForm> | Catalogue): entry is Text<TextForm> => 'EN' in entry;
