import type { PaymentLedger } from '../../../ledger';
import { counted, printJson, printLine, type JsonOption } from '../../shared/output';
import { formatTable, type Cell } from '../../shared/table';
import { colorsOf, shortTime } from '../../shared/terminal';
import { warnOfOtherEnvironments, withLedger } from '../../shared/ledger';
import type { EndpointStanding } from '../../../ledger/webhooks/endpoints';

interface ReplayWebhooksOptions extends JsonOption {
  readonly endpoint: string;
  readonly since?: Date;
}

const COLUMNS = [
  'ENDPOINT',
  'STATE',
  'WAITING',
  'OLDEST',
  'LAST TAKEN',
  'LAST REFUSED',
  'ANSWER',
  'GIVEN UP',
];

export async function listEndpoints({ json }: JsonOption): Promise<void> {
  const endpoints = await withEndpoints(async (known, ledger) => {
    const all = await known.all();
    if (all.length === 0) await warnOfOtherEnvironments(ledger);
    return all;
  });
  if (json) printJson(endpoints);
  else if (endpoints.length === 0)
    printLine('No endpoint. A worker with PAYSESSION_WEBHOOK_URL or PAYSESSION_WEBHOOK_FILE registers one.');
  else printLine(formatTable(COLUMNS, endpoints.map(toRow)));
}

/**
 * Sends webhooks again. Throws `PaysessionError` `WEBHOOK_ENDPOINT_UNKNOWN` if the ledger does not know the endpoint. Without a time, throws
 * `SettingsError` if nothing was given up and the endpoint is not failing.
 */
export async function replayWebhooks({ endpoint, since, json }: ReplayWebhooksOptions): Promise<void> {
  const sessions = await withEndpoints((known) => known.replay(endpoint, since));
  if (json) printJson({ endpoint, sessions });
  else printLine(`Webhooks of ${counted(sessions, 'session')} are sent to ${endpoint} again.`);
}

/** Removes an endpoint and its webhooks. Throws `PaysessionError` `WEBHOOK_ENDPOINT_UNKNOWN` if the ledger does not know the endpoint. */
export async function forgetEndpoint(name: string, { json }: JsonOption): Promise<void> {
  await withEndpoints((known) => known.forget(name));
  if (json) printJson({ endpoint: name, outcome: 'forgotten' });
  else printLine(`No webhooks are kept for ${name} any more, unless a sender still has it in its settings.`);
}

/** Checks that the ledger's tables have this version, and runs `work` with the ledger's endpoints. */
const withEndpoints = <T>(
  work: (endpoints: PaymentLedger['webhookEndpoints'], ledger: PaymentLedger) => Promise<T>,
): Promise<T> =>
  withLedger(async (ledger) => {
    await ledger.check();
    return work(ledger.webhookEndpoints, ledger);
  });

function toRow(endpoint: EndpointStanding): readonly Cell[] {
  const { stdout } = process;
  const time = (at: string | undefined): string => (at === undefined ? '' : shortTime(at, stdout));
  const {
    name,
    state,
    waiting,
    waitsSince,
    lastSuccessAt,
    lastFailureAt,
    lastOutcome = '',
    givenUp,
  } = endpoint;
  const colors = colorsOf(stdout);
  const styles = { ok: colors.green, down: colors.yellow, failing: colors.red, unattended: colors.yellow };
  return [
    name,
    { text: ENDPOINT_STATES[state], style: styles[state] },
    String(waiting),
    time(waitsSince),
    time(lastSuccessAt),
    time(lastFailureAt),
    lastOutcome,
    String(givenUp),
  ];
}

/** The meaning of each state of an endpoint. */
export const ENDPOINT_STATES: Readonly<Record<EndpointStanding['state'], string>> = {
  ok: 'receives webhooks',
  down: 'refuses all',
  failing: 'is given up',
  unattended: 'has no sender',
};
