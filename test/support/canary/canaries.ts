import { randomBytes, randomInt } from 'node:crypto';

// A canary is a made-up value that occurs nowhere else, such as a payor’s name. If a place, such as a log, contains a canary, data has
// leaked to this place.

/** The name of a kind of canary. It is a column of the last table in docs/guides/encryption.md. */
export type CanaryName = 'client secret' | 'access token' | 'payor’s name' | 'email' | 'account number';

export type Canaries = Readonly<Record<CanaryName, readonly string[]>>;

/**
 * Creates new canaries, and a payor and a payee with these values for session requests. Each call returns other values, so that no older
 * data contains them.
 */
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

/**
 * Returns the texts to search for if a value must not be in some data: the value as it is, URL-encoded, in JSON, in hexadecimal, and in
 * base64 at each offset.
 */
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
 * Returns the base64 texts of a value: three texts in the usual alphabet, and the same texts in the alphabet for URLs. A text depends on
 * the number of bytes before the value, modulo three. If the first or the last character also contains bits of the data around the
 * value, the character is left out.
 */
function inBase64(value: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
    const text = whole.toString('base64').replace(/=+$/, '');
    const inner = text.slice(Math.ceil((before * 8) / 6), whole.length % 3 === 0 ? undefined : -1);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Returns the names of the canaries that the data contains. */
export function foundIn(data: Buffer, canaries: Canaries): CanaryName[] {
  const names = ['client secret', 'access token', 'payor’s name', 'email', 'account number'] as const;
  return names.filter((name) =>
    canaries[name].some((value) => formsOf(value).some((form) => data.includes(form))),
  );
}
