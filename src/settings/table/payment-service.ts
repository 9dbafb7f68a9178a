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
      'The maximum number of create requests, refreshes and polls that all workers together make in a second for the account `default`. If unset, workers only follow the service’s own limit. Cancellations are never held back.',
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
      'The longest time from sending a call until its answer begins, 2s to 25s. Then the worker gives the call up. Connecting and the rest of the answer may take five seconds more.',
    default: '10s',
    schema: answerTime,
  },
  {
    name: 'PAYSESSION_ALLOW_HTTP',
    meaning:
      'Allows plain http to another machine (true), in a network of your own. Otherwise `paysession doctor` reports plain http as a fault and workers warn about it, because it exposes the client secret.',
    schema: flag,
  },
] as const satisfies readonly SettingRow[];
