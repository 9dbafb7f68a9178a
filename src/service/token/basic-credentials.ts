import type { ServiceAccount } from '../options';

export type Credentials = Pick<ServiceAccount, 'clientId' | 'clientSecret'>;

/** The value of the Basic scheme, in UTF-8 (contract A1). */
export function basicCredentials({ clientId, clientSecret }: Credentials): string {
  return Buffer.from(`${clientId}:${clientSecret}`, 'utf8').toString('base64');
}
