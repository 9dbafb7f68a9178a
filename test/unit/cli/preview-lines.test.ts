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

// Before an operator adopts a session (lets a key follow it), a preview compares the session with the key's request.
test('the preview of an adoption says "guaranteed or not" if the service does not report whether the EFT is guaranteed', () => {
  const lines = previewLines({ ...preview, untold: ['type'] }, screen).join('\n');
  expect(lines).toMatch(/kind +EFT +EFT, guaranteed or not +not compared/);
  expect(lines).toContain('The payment service does not say whether this EFT is guaranteed.');
});

test('the preview of an adoption says nothing about the guarantee if the service reports the kind', () => {
  const found = { ...payment, status: 'Initiated', kind: 'EFT' } as const;
  expect(previewLines({ ...preview, found }, screen).join('\n')).not.toMatch(/guaranteed|compared/);
});
