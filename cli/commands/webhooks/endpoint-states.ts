import type { EndpointStanding } from '../../../ledger';

/** What each state of an endpoint means, for who reads of it for the first time. */
export const ENDPOINT_STATES: Readonly<Record<EndpointStanding['state'], string>> = {
  ok: 'receives webhooks',
  down: 'refuses all',
  failing: 'gets none any more',
  unattended: 'nobody sends',
};
