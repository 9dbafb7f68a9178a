export const hexOf = (text: string) => Buffer.from(text).toString('hex');
/** Returns the base64 of a text, without the padding at the end. */
export const base64 = (text: string) => Buffer.from(text).toString('base64').replace(/=+$/, '');
