import { answerTime, baseUrlSchema, callsPerSecond, flag, text } from '../setting-values';
import type { SettingRow } from './setting-row';

/** Settings of the accounts at the payment service, and of the calls to it. */
export const PAYMENT_SERVICE_SETTINGS = [
  {
    name: 'PAYSESSION_BASE_URL',
    meaning: 'URL of the payment service, for the account `default`.',
    schema: baseUrlSchema,
  },
  {
    name: 'PAYSESSION_CLIENT_ID',
    meaning: 'Client id at the payment service, for the account `default`.',
    schema: text,
  },
  {
    name: 'PAYSESSION_CLIENT_SECRET',
    meaning: 'Client secret at the payment service, for the account `default`.',
    secret: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_CALLS_PER_SECOND',
    meaning:
      'The maximum number of create requests, refreshes and polls per second that all workers together send for the account `default`. If unset, workers follow only the service’s own limit. Cancellations never wait for this limit.',
    schema: callsPerSecond,
  },
  {
    name: 'PAYSESSION_ACCOUNTS_FILE',
    meaning:
      'JSON file with several accounts: { "accounts": { NAME: { "baseUrl", "clientId", "clientSecret", "callsPerSecond"?, "sendTraceparent"? } } }. If the three variables of the account `default` are set, they replace the file’s account of that name.',
    isSecretFile: true,
    schema: text,
  },
  {
    name: 'PAYSESSION_ANSWER_TIMEOUT',
    meaning:
      'The longest time between sending a call and the beginning of its answer, 2s to 25s. After this time, the worker gives the call up. Connecting and the rest of the answer may take five more seconds.',
    default: '10s',
    schema: answerTime,
  },
  {
    name: 'PAYSESSION_ALLOW_HTTP',
    meaning:
      'Allows plain http to another machine (true). Use it only in a network of your own, because plain http exposes the client secret. If it is not set, `paysession doctor` reports plain http as a fault, and workers warn about it.',
    schema: flag,
  },
] as const satisfies readonly SettingRow[];
