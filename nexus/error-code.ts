import { isErrorCode, type ErrorCode } from '../src/errors/codes';

/** Deep enough for a failure that crossed two namespaces. */
const MAX_CAUSES = 10;

/** The error code that a failed call carries, wherever among its causes; `undefined` when it carries none. */
export function errorCodeOf(error: unknown): ErrorCode | undefined {
  let inner = error;
  for (let depth = 0; depth < MAX_CAUSES && inner instanceof Error; depth += 1) {
    const { type, cause } = inner as { type?: unknown; cause?: unknown };
    if (typeof type === 'string' && isErrorCode(type)) return type;
    inner = cause;
  }
  return undefined;
}
