/** The languages of pages and mails (contract A16). */
export type Language = 'EN' | 'FR';

/** As the Intl objects know them. */
export const LOCALES: Readonly<Record<Language, string>> = { EN: 'en-CA', FR: 'fr-CA' };

/** Made once for each language: making one takes fifty times as long as writing an amount. */
const formats = new Map<Language, Intl.NumberFormat>();

/** Dollars as the payor's language writes them, with the currency's code. */
export function formatMoney(amount: number, language: Language): string {
  return `${formatOf(language).format(amount)} CAD`;
}

function formatOf(language: Language): Intl.NumberFormat {
  const format =
    formats.get(language) ?? new Intl.NumberFormat(LOCALES[language], { style: 'currency', currency: 'CAD' });
  formats.set(language, format);
  return format;
}

/** A count as the language groups its digits. */
export const formatCount = (count: number, language: Language): string =>
  count.toLocaleString(LOCALES[language]);
