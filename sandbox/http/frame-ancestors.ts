import { PaysessionError } from '../../src/errors';

const HOST = String.raw`(\*\.)?[a-z\d]([a-z\d.-]*[a-z\d])?|\[[\da-f:]+\]`;

/** `*`, `'none'`, `'self'`, a scheme, or an origin whose host may begin with `*.`: nothing that could end the directive. */
const SOURCE = new RegExp(String.raw`^(\*|'none'|'self'|https?:|https?://(${HOST})(:\d{1,5})?)$`, 'i');

/** Throws `INVALID_SETTINGS` unless each is a source that `frame-ancestors` takes, and there is at least one. */
export function checkFrameAncestors(sources: readonly string[]): void {
  const wrong = sources.find((source) => !SOURCE.test(source));
  if (sources.length > 0 && wrong === undefined) return;
  throw new PaysessionError(
    'INVALID_SETTINGS',
    `The sites that may embed the hosted flow are given as https://shop.example, or * for all${
      wrong === undefined ? '; it is empty' : `; ${JSON.stringify(wrong)} is not allowed`
    }.`,
  );
}

/** The origin of a list that names exactly one, without wildcards. */
export function onlyOrigin(sources: readonly string[]): string | undefined {
  const [source = '', ...others] = sources;
  return others.length === 0 && /^https?:\/\/[^*]+$/i.test(source) ? new URL(source).origin : undefined;
}
