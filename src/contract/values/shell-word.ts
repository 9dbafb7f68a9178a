/** A text as one word of a shell's command. */
export const shellWord = (text: string): string => (/^[\w.:/@+-]+$/.test(text) ? text : shellQuoted(text));

/** A text as a shell takes it in quotation marks, whatever is in it. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
