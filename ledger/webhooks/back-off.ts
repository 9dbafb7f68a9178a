/** When what was refused is tried again. Milliseconds. */
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Of one message: three days in all. The later ones of its session wait behind it. */
const FIRST_OF_MESSAGE = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS];
const LATER_OF_MESSAGE_MS = HOUR_MS;

/** Of an endpoint that is down, with one message at a time: cheap, so that webhooks go on soon after it is back. Three days in all. */
const FIRST_OF_ENDPOINT = [SECOND_MS, 5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 5 * MINUTE_MS];
const LATER_OF_ENDPOINT_MS = 15 * MINUTE_MS;
const THREE_DAYS_MS = 72 * HOUR_MS;

/** How long a message waits that was refused so often; `undefined`: it is given up. `random` from 0 to 1 spreads it by a tenth. */
export const waitOfMessage = (refusals: number, random: number, retryAfterMs?: number): number | undefined =>
  waitOf({ first: FIRST_OF_MESSAGE, laterMs: LATER_OF_MESSAGE_MS }, { refusals, random, retryAfterMs });

/** How long an endpoint is left alone that refused so many messages, one at a time; `undefined`: it is failing. */
export const waitOfEndpoint = (refusals: number, random: number, retryAfterMs?: number): number | undefined =>
  waitOf({ first: FIRST_OF_ENDPOINT, laterMs: LATER_OF_ENDPOINT_MS }, { refusals, random, retryAfterMs });

function waitOf(
  { first, laterMs }: { readonly first: readonly number[]; readonly laterMs: number },
  {
    refusals,
    random,
    retryAfterMs = 0,
  }: { refusals: number; random: number; retryAfterMs: number | undefined },
): number | undefined {
  if (refusals > first.length + THREE_DAYS_MS / laterMs) return undefined;
  const waitMs = Math.max(first[refusals - 1] ?? laterMs, retryAfterMs);
  return Math.round(waitMs * (1 + random / 10));
}
