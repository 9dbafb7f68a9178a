import { hkdfSync } from 'node:crypto';

/** A key for one purpose, out of the console's secret. */
export function keyFor(purpose: 'cookies' | 'forms', secret: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `paysession console ${purpose}`, 32));
}
