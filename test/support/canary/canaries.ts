import { randomBytes, randomInt } from 'node:crypto';

// A canary is a made-up value that occurs nowhere else, such as a payor’s name. If a place contains it, data has leaked there.

/** The kinds of canaries, with the names that the encryption guide’s table uses. */
export type CanaryName = 'client secret' | 'access token' | 'payor’s name' | 'email' | 'account number';

export type Canaries = Readonly<Record<CanaryName, readonly string[]>>;

/** Returns new canaries, and a payor and a payee with these values. Each run has other values, so that no older data contains them. */
export function plantCanaries(): Canaries & { readonly payor: object; readonly payee: object } {
  const word = () => `Zq${randomBytes(8).toString('hex')}`;
  const [firstName, lastName] = [word(), word()];
  const email = `${word()}+pay@example.com`;
  const accountNumber = String(randomInt(10 ** 11, 10 ** 12));
  return {
    'client secret': [`${word()}/+&secret`],
    'access token': [`${word()}.access/token`],
    'payor’s name': [firstName, lastName],
    email: [email],
    'account number': [accountNumber],
    payor: {
      firstName,
      lastName,
      email,
      address: {
        addressLine1: '1 King Street West',
        city: 'Toronto',
        province: 'ON',
        country: 'CA',
        postalCode: 'M5H1A1',
      },
    },
    payee: { account: { accountNumber, transitNumber: '00011', institutionCode: '001' } },
  };
}

/** Returns the texts by which a value is searched: as it is, URL-encoded, in JSON, in hexadecimal, and in base64 at each offset. */
export function formsOf(value: string): readonly string[] {
  const hex = Buffer.from(value).toString('hex');
  const forms = [
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    hex,
    hex.toUpperCase(),
  ];
  return [...new Set([...forms, ...inBase64(value)])];
}

/**
 * Returns the three base64 texts of a value. The text depends on the number of bytes before the value, modulo three. The first and
 * last characters are left out, because they also contain bits of the data around the value.
 */
function inBase64(value: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
    const text = whole.toString('base64').replace(/=+$/, '');
    const inner = text.slice(Math.ceil((before * 8) / 6), whole.length % 3 === 0 ? undefined : -1);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Returns the names of the canaries that a place's data contains. */
export function foundIn(held: Buffer, canaries: Canaries): CanaryName[] {
  const names = ['client secret', 'access token', 'payor’s name', 'email', 'account number'] as const;
  return names.filter((name) =>
    canaries[name].some((value) => formsOf(value).some((form) => held.includes(form))),
  );
}
