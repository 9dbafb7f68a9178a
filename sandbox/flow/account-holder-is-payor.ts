import type { Payor } from '../../src/contract';
import type { AccountHolder } from '../sessions/banks';

/**
 * True if the holder of the bank account is the payor (contract rule A56 in docs/contract.md: a mismatch is EFT0403).
 *
 * - Letter case, accents, punctuation and spaces do not count: `Élodie O'Brien-Roy` is `ELODIE OBRIEN ROY`.
 * - The last names must be equal.
 * - The first names must be equal. Without a guarantee, one of the two may be only the initial: `A. Tremblay` is `Avery Tremblay`.
 * - With a guarantee, address line 1 and postal code must be equal, too.
 *
 * The middle name, which banks often leave out, does not count.
 */
export function isSamePerson(
  holder: AccountHolder,
  payor: Payor,
  { guaranteed }: { readonly guaranteed: boolean },
): boolean {
  if (!isSame(holder.lastName, payor.lastName)) return false;
  if (!guaranteed) return isSameOrInitial(holder.firstName, payor.firstName);
  return isSame(holder.firstName, payor.firstName) && hasSameAddress(holder, payor);
}

function hasSameAddress({ address: held }: AccountHolder, { address: given }: Payor): boolean {
  if (held === null || given == null) return false;
  return isSame(held.addressLine1, given.addressLine1) && isSame(held.postalCode, given.postalCode);
}

function isSameOrInitial(one: string, other: string): boolean {
  const [shorter = '', longer = ''] = [plain(one), plain(other)].sort((a, b) => a.length - b.length);
  return shorter === longer || (Array.from(shorter).length === 1 && longer.startsWith(shorter));
}

const isSame = (one: string, other: string): boolean => plain(one) === plain(other);

/** Returns a name’s letters and digits, without case and accents. A name without letters and digits is only trimmed. */
function plain(name: string): string {
  const letters = name
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
  return letters === '' ? name.trim() : letters;
}
