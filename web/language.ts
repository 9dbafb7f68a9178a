/** The languages of pages and mails (contract A16). */
export type Language = 'EN' | 'FR';

/** Dollars as the payor's language writes them, with the currency's code. */
export function formatMoney(amount: number, language: Language): string {
  const locale = language === 'FR' ? 'fr-CA' : 'en-CA';
  return `${amount.toLocaleString(locale, { style: 'currency', currency: 'CAD' })} CAD`;
}
