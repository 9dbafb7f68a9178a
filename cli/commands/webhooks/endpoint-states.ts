import type { EndpointStanding } from '../../../ledger';

/** Meaning of each state of an endpoint, for a first-time reader. */
export const ENDPOINT_STATES: Readonly<Record<EndpointStanding['state'], string>> = {
  ok: 'receives webhooks',
  down: 'refuses all',
  failing: 'gets none any more',
  unattended: 'has no sender',
};
