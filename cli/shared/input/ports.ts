import { wholeNumber } from './parse-arguments';

/** The ports that `dev` uses unless told otherwise. */
export const DEV_PORTS = {
  engine: 7233,
  ui: 8233,
  sandbox: 4010,
  shop: 4020,
  console: 4030,
  control: 4040,
} as const;

/** Of this machine alone. */
export const LISTEN_HOST = '127.0.0.1';

/** 0 takes a free port. */
export const parsePort = wholeNumber(0, 65_535);
