import type {
  WaitingWebhooks,
  WebhookDelivery,
  WebhookDeliveriesOf,
} from '../../../ledger/webhooks/deliveries';
import { oneLine, printJson, printLine, printWarning, type JsonOption } from '../../shared/output';
import { formatTable, type Cell } from '../../shared/table';
import { colorsOf, shortTime } from '../../shared/terminal';
import { deliveryText, LEFT_OUT, notTriedText } from '../../shared/session-state';
import { warnOfOtherEnvironments, withLedger } from '../../shared/ledger';

interface ResendOptions extends JsonOption {
  readonly endpoint?: string;
}

const COLUMNS = ['MESSAGE', 'TYPE', 'ENDPOINT', 'STATE', 'ATTEMPTS', 'LAST', 'ANSWER', 'NEXT TRY'];

/** Prints the deliveries of a session or of one message. Throws `PaysessionError` `SESSION_NOT_FOUND` if the ledger has no such session or message. */
export async function showDeliveries(keyOrId: string, { json }: JsonOption): Promise<void> {
  const read = await withLedger(async (ledger) => {
    await ledger.check();
    const found = await ledger.webhookDeliveries.of(keyOrId);
    const isNone = found.deliveries.length === 0 && found.waiting.length === 0;
    if (isNone && (await ledger.entriesOf(keyOrId)).length === 0) {
      await warnOfOtherEnvironments(ledger);
      const { unknownMessageError } = await import('../../../ledger/webhooks/deliveries.js');
      throw unknownMessageError(keyOrId);
    }
    return found;
  });
  if (json) printJson(read);
  else for (const line of deliveryLines(read)) printLine(line);
}

/**
 * Sends messages again, through `WebhookDeliveries.resend`. Throws `PaysessionError` `SESSION_NOT_FOUND` or `WEBHOOK_ENDPOINT_UNKNOWN`.
 */
export async function resendWebhooks(keyOrId: string, { endpoint, json }: ResendOptions): Promise<void> {
  const resent = await withLedger(async (ledger) => {
    await ledger.check();
    return ledger.webhookDeliveries.resend(keyOrId, endpoint);
  });
  const { key, from, endpoints } = resent;
  if (json) printJson(resent);
  else {
    const names = endpoints.map(({ name }) => name).join(', ');
    printLine(
      from === 1
        ? `All messages of ${oneLine(key)} will be sent again to ${names}.`
        : `The messages of ${oneLine(key)} will be sent again to ${names}, starting with entry ${from}.`,
    );
  }
  for (const { name, isFailing } of endpoints)
    if (isFailing)
      printWarning(
        `${name} currently gets no webhooks: fix it, then run \`paysession webhooks replay --endpoint ${name}\``,
      );
}

/** Returns the lines to print: a table of the deliveries, and the waiting webhooks. If there is only one message, also each of its answers. */
function deliveryLines({ deliveries, waiting, hasMore }: WebhookDeliveriesOf): readonly string[] {
  const isOneMessage = new Set(deliveries.map(({ id }) => id)).size === 1;
  return [
    ...(hasMore ? [LEFT_OUT] : []),
    deliveries.length === 0
      ? 'No webhook was sent in the last 30 days.'
      : formatTable(COLUMNS, deliveries.map(toRow)),
    ...(isOneMessage
      ? deliveries.flatMap(({ endpoint, answers }) =>
          answers.map(({ at, outcome }) => `${timeOf(at)}  ${endpoint}  ${oneLine(outcome)}`),
        )
      : []),
    ...waiting.map(waitingLine),
  ];
}

function waitingLine({ endpoint, from, to, nextTryAt }: WaitingWebhooks): string {
  const entries = from === to ? `entry ${to}` : `entries ${from} to ${to}`;
  const next = nextTryAt === undefined ? notTriedText(endpoint) : `next try ${timeOf(nextTryAt)}`;
  return `${endpoint} has not received the webhooks of ${entries}: ${next}`;
}

const timeOf = (at: string): string => shortTime(at, process.stdout);

function toRow(delivery: WebhookDelivery): readonly Cell[] {
  const { id, type, endpoint, state, attempts, answers, nextTryAt } = delivery;
  const { green, yellow, red } = colorsOf(process.stdout);
  const style = { delivered: green, refused: yellow, givenUp: red }[state];
  const last = answers.at(-1);
  return [
    id,
    type,
    endpoint,
    { text: deliveryText(state), style },
    String(attempts),
    last === undefined ? '' : timeOf(last.at),
    last?.outcome ?? '',
    nextTryAt === undefined ? '' : timeOf(nextTryAt),
  ];
}
