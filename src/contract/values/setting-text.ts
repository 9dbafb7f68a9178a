/**
 * A setting or a secret without the one line break with which `echo` and editors end a file, and which comes along where
 * `kubectl create secret --from-file` makes a variable of it. Spaces may belong to a secret.
 */
export const withoutLineBreak = (text: string): string => text.replace(/\r?\n$/, '');

/**
 * What no setting and no secret may have in it: headers and URLs lose it or are refused for it, without saying so. `hasLines`: line
 * breaks belong to it, as to a certificate. The message never holds the text.
 */
export function settingFault(text: string, hasLines = false): string | undefined {
  if (text.includes('\ufffd')) return 'is not UTF-8';
  if (hasLines)
    return /[^\P{Cc}\r\n]/u.test(text) ? 'must not contain control characters but line breaks' : undefined;
  return /\p{Cc}/u.test(text)
    ? 'must not contain control characters, such as a line break or a tab'
    : undefined;
}
