export const hexOf = (text: string) => Buffer.from(text).toString('hex');
/** Without its padding, which holds no information. */
export const base64 = (text: string) => Buffer.from(text).toString('base64').replace(/=+$/, '');
