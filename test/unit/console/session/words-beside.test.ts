import { expect, test } from '@jest/globals';
import { wordsBeside } from '../../../../console/texts/standings';

test('wordsBeside returns what a standing’s name does not say: another status, the code, and the code of a failure', () => {
  expect(wordsBeside('cancelled', { status: 'Cancelled', code: 'EFT0501' })).toBe('EFT0501');
  expect(wordsBeside('expired', { status: 'Expired' })).toBe('');
  expect(wordsBeside('endedUnsigned', { status: 'Cancelled', code: 'EFT0501' })).toBe('Cancelled EFT0501');
  expect(wordsBeside('paid', { status: 'Completed', code: 'EFT0301' })).toBe('Completed EFT0301');
  expect(wordsBeside('neverOpened', { failure: 'SERVICE_REQUEST_REJECTED' })).toBe(
    'SERVICE_REQUEST_REJECTED',
  );
  // A text that does not look like a status may be personal data.
  expect(wordsBeside('unknownStatus', { status: 'Avery Tremblay' })).toBe('unreadable');
});
