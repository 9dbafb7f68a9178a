import { expect, test } from '@jest/globals';
import { isReadableOnTheWay } from '../../../src/service';

test.each([
  ['https://bank.example', false],
  ['http://localhost:4010/pay', false],
  ['http://LOCALHOST', false],
  ['http://127.0.0.1', false],
  ['http://127.8.9.1:80', false],
  ['http://127.1', false],
  ['http://[::1]:4010', false],
  ['http://bank.example', true],
  ['http://localhost.bank.example', true],
  ['http://127.0.0.1.bank.example', true],
  ['http://sandbox.localhost:4010', true],
  ['http://128.0.0.1', true],
  ['http://[::2]', true],
])('calls to the base URL %s leave this machine without encryption: %p', (baseUrl, readable) => {
  expect(isReadableOnTheWay(baseUrl)).toBe(readable);
});
