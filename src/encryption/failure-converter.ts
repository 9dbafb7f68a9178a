import { DefaultFailureConverter, type PayloadConverter, type ProtoFailure } from '@temporalio/common';
import { isRefusal } from '../protocol/temporal/encrypted-payload';

type Context = Parameters<DefaultFailureConverter['errorToFailure']>[2];

/** The SDK's own error for data of an unknown encoding, such as data that is still encrypted. */
const UNKNOWN_ENCODING = /^Unknown encoding: /;

/**
 * Puts the messages and stack traces of failures into payloads, which the codec encrypts. Failures about keys or encryption stay
 * readable, because a reader without the key must see them. These failures contain no data of the session.
 */
class EncodingFailureConverter extends DefaultFailureConverter {
  readonly #readable = new DefaultFailureConverter();

  constructor() {
    super({ encodeCommonAttributes: true });
  }

  override errorToFailure(
    error: unknown,
    payloadConverter: PayloadConverter,
    context?: Context,
  ): ProtoFailure {
    return isAboutKeys(error)
      ? this.#readable.errorToFailure(error, payloadConverter, context)
      : super.errorToFailure(error, payloadConverter, context);
  }
}

const MAX_CAUSES = 8;

function isAboutKeys(error: unknown): boolean {
  let inner = error;
  for (let depth = 0; depth < MAX_CAUSES && inner instanceof Error; depth += 1) {
    const { type, code, cause } = inner as { type?: unknown; code?: unknown; cause?: unknown };
    if ([type, code, inner.name].some(isRefusal) || UNKNOWN_ENCODING.test(inner.message)) return true;
    inner = cause;
  }
  return false;
}

/** The export that Temporal's SDK loads. */
export const failureConverter = new EncodingFailureConverter();
