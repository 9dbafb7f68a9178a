import { setImmediate } from 'node:timers/promises';
import type { PaymentSessionInput } from 'paysession';

const PAGE_SIZE = 50;

/**
 * Yields the payments that are due in a night. Reads them page by page, as from a database. An invoice has the same key
 * in every run for one night. So a second run opens no second session for it.
 */
export async function* dueInvoices(night: string, count: number): AsyncIterable<PaymentSessionInput> {
  for (let start = 0; start < count; start += PAGE_SIZE) {
    yield* await readPage(night, start, Math.min(start + PAGE_SIZE, count));
  }
}

async function readPage(night: string, start: number, end: number): Promise<PaymentSessionInput[]> {
  await setImmediate();
  return Array.from({ length: end - start }, (_, index) => invoice(night, start + index + 1));
}

function invoice(night: string, number: number): PaymentSessionInput {
  const reference = `${night}-${number}`;
  return {
    key: `invoice-${reference}`,
    request: {
      type: 'e-Transfer',
      direction: 'DEBIT',
      // An amount has at most two decimals. This division is exact, but the sum 10 + 1.12 is 11.120000000000001.
      amount: (1_000 + number) / 100,
      referenceId: reference,
      options: { guarantee: { enable: false }, notificationPreferences: { sendNetworkLink: true } },
      payor: { firstName: 'Avery', lastName: 'Tremblay', email: `payor-${number}@example.com` },
    },
  };
}
