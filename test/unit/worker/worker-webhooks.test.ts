import { expect, test } from '@jest/globals';
import type { EndpointStanding } from '../../../ledger/webhooks/endpoints';
import { showEndpoints } from '../../../worker/webhooks/worker-webhooks';

test('the gauges of an endpoint that an operator has forgotten become 0', () => {
  const shown = new Map<string, number>();
  const instruments = {
    set: ({ name }: { readonly name: string }, value: number, tags: object = {}) => {
      shown.set(`${name} ${JSON.stringify(tags)}`, value);
    },
  };
  const failing = { name: 'old', state: 'failing', waiting: 7, waitsSince: '2026-03-01T12:00:00.000Z' };
  const names = new Set<string>();
  showEndpoints(instruments, [failing as unknown as EndpointStanding], names);
  expect(shown.get('paysession_webhook_endpoint_failing {"endpoint":"old"}')).toBe(1);
  showEndpoints(instruments, [], names);
  expect([...shown]).toEqual([
    ['paysession_webhook_waiting {"endpoint":"old"}', 0],
    ['paysession_webhook_waits_seconds {"endpoint":"old"}', 0],
    ['paysession_webhook_endpoint_failing {"endpoint":"old"}', 0],
  ]);
});
