import { describe, expect, test } from '@jest/globals';
import { Fakes } from '../../../testkit/histories/fakes';

// An export of a session replaces its texts by fakes.
describe('the fake of a text in an export has the shape of the text', () => {
  const fakes = new Fakes('seed');
  test.each([
    ['Avery', /^[A-Z][a-z]{4}$/],
    ['Zoë Müller-Ng', /^[A-Z][a-z]{2} [A-Z][a-z]{5}-[A-Z][a-z]$/],
    ['0012345', /^\d{7}$/],
    ['81-07-23', /^\d\d-\d\d-\d\d$/],
    ['someone@bank.example', /^[a-z]{7}@example\.com$/],
    ['https://shop.example/orders/12', /^https:\/\/pay\.example\/[a-z]{6}\/\d\d$/],
    ['', /^$/],
  ])('such as %j', (text, shape) => {
    expect(fakes.text(text)).toMatch(shape);
    expect(fakes.text(text)).toBe(new Fakes('seed').text(text));
    if (text !== '') expect(fakes.text(text)).not.toBe(new Fakes('other').text(text));
  });
});
