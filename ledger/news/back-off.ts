/** When what was refused is tried again. Milliseconds. */
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Of one message: three days in all. The news of its session waits behind it. */
const OF_MESSAGE = [
  ...[5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS],
  ...[HOUR_MS, 2 * HOUR_MS, 4 * HOUR_MS, 8 * HOUR_MS],
  ...Array.from({ length: 5 }, () => 12 * HOUR_MS),
];

/** Of an endpoint that is down, with one message at a time: cheap, so that news goes on soon after it is back. Three days in all. */
const FIRST_OF_ENDPOINT = [SECOND_MS, 5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 5 * MINUTE_MS];
const LATER_OF_ENDPOINT_MS = 15 * MINUTE_MS;
const THREE_DAYS_MS = 72 * HOUR_MS;
const MOST_PROBES = FIRST_OF_ENDPOINT.length + THREE_DAYS_MS / LATER_OF_ENDPOINT_MS;

/** How long a message waits that was refused so often; `undefined`: it is given up. `random` from 0 to 1 spreads it by a tenth. */
export function waitOfMessage(refusals: number, random: number, retryAfterMs = 0): number | undefined {
  const waitMs = OF_MESSAGE[refusals - 1];
  return waitMs === undefined ? undefined : spread(Math.max(waitMs, retryAfterMs), random);
}

/** How long an endpoint is left alone that refused so many messages, one at a time; `undefined`: it is failing. */
export function waitOfEndpoint(refusals: number, random: number, retryAfterMs = 0): number | undefined {
  if (refusals > MOST_PROBES) return undefined;
  return spread(Math.max(FIRST_OF_ENDPOINT[refusals - 1] ?? LATER_OF_ENDPOINT_MS, retryAfterMs), random);
}

const spread = (ms: number, random: number): number => Math.round(ms * (1 + random / 10));
