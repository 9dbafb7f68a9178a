import {
  baseUrlSchema,
  callsPerSecond,
  exchangeTime,
  flag,
  longestRetryAfterSchema,
  text,
} from '../setting-values';
import type { Setting } from './setting';

/** Settings of the accounts at the payment service, and of its calls. */
export const PAYMENT_SERVICE_SETTINGS = [
  {
    name: 'PAYSESSION_BASE_URL',
    subject: 'Payment service',
    meaning: 'URL of the payment service, for the account `default`.',
    secret: false,
    schema: baseUrlSchema,
  },
  {
    name: 'PAYSESSION_CLIENT_ID',
    subject: 'Payment service',
    meaning: 'Client id at the payment service, for the account `default`.',
    secret: false,
    schema: text,
  },
  {
    name: 'PAYSESSION_CLIENT_SECRET',
    subject: 'Payment service',
    meaning: 'Client secret at the payment service, for the account `default`.',
    secret: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_CALLS_PER_SECOND',
    subject: 'Payment service',
    meaning:
      'The most creates and polls a second that all workers together make for the account `default`. If unset, there is no limit. Cancellations are never held back.',
    secret: false,
    schema: callsPerSecond,
  },
  {
    name: 'PAYSESSION_ACCOUNTS_FILE',
    subject: 'Payment service',
    meaning:
      'JSON file with several accounts: { "accounts": { NAME: { "baseUrl", "clientId", "clientSecret", "callsPerSecond"?, "longestRetryAfter"?, "sendTraceparent"? } } }. If the three variables of the account `default` are set, they replace the file’s account of that name.',
    secret: false,
    isSecretFile: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_LONGEST_RETRY_AFTER',
    subject: 'Payment service',
    meaning:
      'The longest wait that the service may ask for with `Retry-After`; longer ones are cut to it. An account in the accounts file may have its own.',
    default: '15m',
    secret: false,
    schema: longestRetryAfterSchema,
  },
  {
    name: 'PAYSESSION_ANSWER_TIMEOUT',
    subject: 'Payment service',
    meaning: 'How long a call waits for its answer to begin, once it is sent. Then it is given up.',
    default: '10s',
    secret: false,
    schema: exchangeTime,
  },
  {
    name: 'PAYSESSION_EXCHANGE_TIMEOUT',
    subject: 'Payment service',
    meaning:
      'How long a call may take, from connecting to the end of the answer. With a new token and one retry, it takes 30 s at most.',
    default: '15s',
    secret: false,
    schema: exchangeTime,
  },
  {
    name: 'PAYSESSION_ALLOW_HTTP',
    subject: 'Payment service',
    meaning:
      'Allows plain http to another machine (true), in a network of your own. Otherwise `paysession doctor` refuses it and workers warn about it, because it exposes the client secret.',
    secret: false,
    schema: flag,
  },
  {
    name: 'PAYSESSION_SEND_TRACEPARENT',
    subject: 'Payment service',
    meaning:
      'Whether traced calls carry W3C’s `traceparent` to the payment service (true). An account in the accounts file may have its own.',
    default: 'false',
    secret: false,
    schema: flag,
  },
] as const satisfies readonly Setting[];
