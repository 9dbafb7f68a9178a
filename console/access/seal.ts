import { keyFor } from './key';

/** What is sealed: text fields alone. */
export type Sealable = Readonly<Record<string, string>>;

/** Values that browsers keep and cannot read, change or keep beyond their time. */
export class Seal {
  readonly #key: Uint8Array;

  constructor(secret: string) {
    this.#key = keyFor('cookies', secret);
  }

  /** @param purpose what it is good for: nothing else opens it */
  async close(purpose: string, value: Sealable, endsAtMs: number): Promise<string> {
    const { EncryptJWT } = await import('jose');
    return new EncryptJWT({ value })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience(purpose)
      .setExpirationTime(new Date(endsAtMs))
      .encrypt(this.#key);
  }

  /** `undefined` for what was not sealed here for this purpose, or is past its time. */
  async open(purpose: string, sealed: string): Promise<Opened | undefined> {
    const { jwtDecrypt } = await import('jose');
    try {
      const { payload } = await jwtDecrypt<{ value: Sealable }>(sealed, this.#key, {
        audience: purpose,
        requiredClaims: ['exp'],
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
      });
      return { value: payload.value, endsAtMs: (payload.exp ?? 0) * 1_000 };
    } catch {
      return undefined;
    }
  }
}

export interface Opened {
  readonly value: Sealable;
  readonly endsAtMs: number;
}
