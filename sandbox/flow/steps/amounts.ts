/**
 * Reads an amount as a payor types it: `25`, `25.00`, `25,00`, `1 250.00 $`. A comma is a decimal one, so `1,250` has
 * three decimals and is refused rather than guessed at. `undefined` when it is no amount.
 */
export function parseAmount(text: string): number | undefined {
  const plain = text.replace(/[\s$]/gu, '').replace(',', '.');
  return /^\d{1,12}(\.\d{1,2})?$/.test(plain) ? Number(plain) : undefined;
}

/** An amount for a text field, as the payor may type it. */
export function amountText(amount: number, decimalSign: '.' | ','): string {
  return amount.toFixed(2).replace('.', decimalSign);
}
