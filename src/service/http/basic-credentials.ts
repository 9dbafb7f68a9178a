export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The value of the Basic scheme, in UTF-8 (contract A1). */
export function basicCredentials({ clientId, clientSecret }: Credentials): string {
  return Buffer.from(`${clientId}:${clientSecret}`, 'utf8').toString('base64');
}
