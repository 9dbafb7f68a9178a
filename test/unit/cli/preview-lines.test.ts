import { expect, test } from '@jest/globals';
import { previewLines } from '../../../cli/commands/session/resolve';
import type { AdoptPreview } from '../../../src';

const payment = { type: 'EFT', direction: 'DEBIT', referenceId: 'order-7', amount: 25, currency: 'CAD' };
const preview: AdoptPreview = {
  sessionId: '3f3ff2a1-95a0-4cf1-8bbd-3ad7a1d3a2a1',
  adoptable: true,
  asked: { ...payment, kind: 'EFT' },
  found: { ...payment, status: 'Initiated' },
  differences: [],
};
const screen = { isTTY: false };

test('the preview of an adoption says that it is unknown if an EFT is guaranteed, if the service does not report it', () => {
  const told = previewLines({ ...preview, untold: ['type'] }, screen).join('\n');
  expect(told).toMatch(/kind +EFT +EFT, guaranteed or not +not compared/);
  expect(told).toContain('The payment service does not say whether this EFT is guaranteed.');
});

test('the preview of an adoption says nothing about a guarantee that the service reports', () => {
  const found = { ...payment, status: 'Initiated', kind: 'EFT' } as const;
  expect(previewLines({ ...preview, found }, screen).join('\n')).not.toMatch(/guaranteed|compared/);
});
