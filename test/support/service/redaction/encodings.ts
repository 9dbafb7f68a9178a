export const hexOf = (text: string) => Buffer.from(text).toString('hex');
/** Returns the base64 of a text without padding, which has no information. */
export const base64 = (text: string) => Buffer.from(text).toString('base64').replace(/=+$/, '');
