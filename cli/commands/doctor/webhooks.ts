import type { PaymentLedger } from '../../../ledger';
import type { WebhookSettings } from '../../../src/settings';
import type { Finding } from './finding';
import { shellWord } from '../../../src/contract/values/text';
import { ENDPOINT_STATES } from '../webhooks/endpoints';
import type { EndpointStanding } from '../../../ledger/webhooks/endpoints';

/** Checks the state that the ledger has for each endpoint in the settings. Sends nothing to the endpoints. */
export async function examineWebhooks(
  ledger: Pick<PaymentLedger, 'webhookEndpoints'>,
  { endpoints }: WebhookSettings,
): Promise<readonly Finding[]> {
  const standings = new Map(
    (await ledger.webhookEndpoints.all()).map((standing) => [standing.name, standing]),
  );
  return endpoints.map(({ name }) => ({
    subject: `Webhooks (${name})`,
    ...findingOf(name, standings.get(name)),
  }));
}

/** Returns the finding about an endpoint. If the ledger does not know the endpoint, no sender has it. */
function findingOf(name: string, standing: EndpointStanding | undefined): Omit<Finding, 'subject'> {
  const state = standing?.state ?? 'unattended';
  const since = standing?.since === undefined ? '' : ` since ${standing.since}`;
  const outcome = standing?.lastOutcome === undefined ? '' : ` (${standing.lastOutcome})`;
  const found = `${ENDPOINT_STATES[state]}${since}`;
  const waiting = `sessions with webhooks that wait: ${standing?.waiting ?? 0}`;
  const replays = [`paysession webhooks replay --endpoint ${shellWord(name)}`];
  switch (state) {
    case 'ok': {
      const givenUp = standing?.givenUp ?? 0;
      if (givenUp === 0) return { ok: true, found: `${found}; ${waiting}` };
      const missed = `${found}; sessions with webhooks that were given up: ${givenUp}`;
      return { ok: true, found: missed, fix: 'Send it again what it missed:', commands: replays };
    }
    case 'down': {
      const fix =
        'Fix the endpoint: senders try one session at a time, and once it accepts a message, all the others follow.';
      return { ok: false, found: `${found}${outcome}; ${waiting}`, fix };
    }
    case 'failing': {
      const fix = 'Fix the endpoint, then send it again what it missed:';
      return { ok: false, found: `${found}${outcome}; ${waiting}`, fix, commands: replays };
    }
    case 'unattended': {
      const fix = 'Start a worker with these settings or, where workers may not reach the internet, run:';
      return { ok: true, found: `${found}; ${waiting}`, fix, commands: ['paysession webhooks send'] };
    }
  }
}
