import { randomBytes } from 'node:crypto';
import { webhookPost, type WebhookKind, type WebhookPing, type WebhookEvent } from '../../../ledger';
import { exampleEvent } from '../../../ledger/webhooks/example-event';
import { PaysessionError, SettingsError } from '../../../src/errors';
import type { WebhookEndpoint, WebhookSettings } from '../../../src/settings';
import { EXIT } from '../../shared/exit-codes';
import { oneLine, printJson, printLine, type JsonOption } from '../../shared/output';
import { checkHere, forwardSecret, type ForwardSecretOptions } from './forward';
import { requiredWebhooks } from './send';

export interface TriggerOptions extends JsonOption, ForwardSecretOptions {
  readonly forward?: string;
  readonly endpoint?: string;
  readonly key?: string;
}

/** Sends a signed `test.ping` to an endpoint. Throws `SettingsError`, and `PaysessionError` `WEBHOOK_ENDPOINT_UNKNOWN` or `INVALID_FILE`. */
export async function testEndpoint(name: string, options: JsonOption): Promise<void> {
  const settings = requiredWebhooks();
  const ping: WebhookPing = {
    type: 'test.ping',
    timestamp: new Date().toISOString(),
    data: { endpoint: name },
  };
  await sendOne(endpointNamed(settings, name), settings.allowsLoopback, ping, options);
}

/**
 * Sends an example message to a receiver on this machine. The session in the message does not exist. Other receivers are refused, because they might take
 * the signed message for a real payment. Throws the errors of `testEndpoint`.
 */
export async function triggerWebhook(kind: WebhookKind, options: TriggerOptions): Promise<void> {
  const endpoint = await receiverOf(options);
  const key = options.key ?? `example-${randomBytes(4).toString('hex')}`;
  await sendOne(endpoint, true, exampleEvent(kind, { key, environment: 'example', at: new Date() }), options);
}

const STAYS_HERE =
  'a signed example must not leave it; `paysession webhooks test` sends a harmless message to any endpoint';

async function receiverOf(options: TriggerOptions): Promise<WebhookEndpoint> {
  const { forward, endpoint } = options;
  if (endpoint !== undefined) {
    const named = endpointNamed(requiredWebhooks(), endpoint);
    checkHere(`the endpoint ${endpoint}`, named.url, STAYS_HERE);
    return named;
  }
  if (forward === undefined)
    throw new SettingsError([{ path: '--forward', message: 'or --endpoint is needed' }]);
  checkHere('--forward', forward, STAYS_HERE);
  return { name: 'forward', url: forward, secrets: [await forwardSecret(options)] };
}

function endpointNamed({ endpoints }: WebhookSettings, name: string): WebhookEndpoint {
  const endpoint = endpoints.find((one) => one.name === name);
  if (endpoint !== undefined) return endpoint;
  const known = endpoints.map((one) => one.name).join(', ');
  throw new PaysessionError(
    'WEBHOOK_ENDPOINT_UNKNOWN',
    `The settings have no endpoint ${oneLine(name)}. They have: ${known}.`,
  );
}

/** Sends a message once, and prints the answer. If the endpoint refuses the message, the command fails. */
async function sendOne(
  endpoint: WebhookEndpoint,
  allowsLoopback: boolean,
  event: WebhookEvent | WebhookPing,
  { json }: JsonOption,
): Promise<void> {
  const { type } = event;
  const id = `msg_${randomBytes(20).toString('base64url')}`;
  const post = webhookPost({ allowsLoopback });
  try {
    const { delivered, outcome } = await post.send(endpoint, { id, body: JSON.stringify(event) });
    if (json) printJson({ id, type, endpoint: endpoint.name, delivered, outcome });
    else printLine(`${endpoint.name} ${delivered ? 'received' : 'refused'} ${type} (${id}): ${outcome}`);
    if (!delivered) process.exitCode = EXIT.unavailable;
  } finally {
    await post.close();
  }
}
