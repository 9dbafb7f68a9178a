import { expect, test } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { allowedMethods } from '../../../src/web/problems';
import { FormTokens, isFromOrigin, isFromOtherSite, isFromPage } from '../../../src/web/guards';

const key = (byte: number) => new Uint8Array(32).fill(byte);

test('a form’s token is valid only with its subject and its key', () => {
  const token = new FormTokens(key(1)).of('a');
  expect(new FormTokens(key(1)).fits('a', token)).toBe(true);
  expect(new FormTokens(key(1)).fits('b', token)).toBe(false);
  expect(new FormTokens(key(2)).fits('a', token)).toBe(false);
  for (const other of ['', token.slice(1), `${token}AA`])
    expect(new FormTokens(key(1)).fits('a', other)).toBe(false);
});

test.each([
  ['a page of the origin', { origin: 'http://pay.example', 'sec-fetch-site': 'same-origin' }, true],
  ['a program without these headers', {}, true],
  ['an origin in capitals', { origin: 'HTTP://PAY.example' }, true],
  ['another origin', { origin: 'http://evil.example' }, false],
  ['another port of the host', { origin: 'http://pay.example:81' }, false],
  ['a hidden origin', { origin: 'null' }, false],
  ['another origin of the same site', { 'sec-fetch-site': 'same-site' }, false],
  ['another site', { 'sec-fetch-site': 'cross-site' }, false],
])(
  'isFromOrigin accepts forms of the page’s own origin and of programs only: %s',
  (_case, headers, isAccepted) => {
    expect(isFromOrigin({ headers } as unknown as FastifyRequest, 'http://pay.example')).toBe(isAccepted);
  },
);

test.each([
  ['a program without these headers', {}, { page: false, otherSite: false }],
  ['an address in the address bar', { 'sec-fetch-site': 'none' }, { page: false, otherSite: false }],
  ['a page of this site', { 'sec-fetch-site': 'same-origin' }, { page: true, otherSite: false }],
  ['another origin of the same site', { 'sec-fetch-site': 'same-site' }, { page: true, otherSite: true }],
  ['another site', { 'sec-fetch-site': 'cross-site' }, { page: true, otherSite: true }],
  ['an old browser’s page', { origin: 'http://evil.example' }, { page: true, otherSite: false }],
])(
  'the headers show whether a request comes from a page and from another origin: %s',
  (_case, headers, { page, otherSite }) => {
    const request = { headers } as unknown as FastifyRequest;
    expect([isFromPage(request), isFromOtherSite(request)]).toEqual([page, otherSite]);
  },
);

test('the allowed methods of a path are the methods of its routes, and HEAD if GET is allowed', () => {
  const routes = [
    { method: 'GET', path: '/sessions/:key' },
    { method: 'POST', path: '/sessions/:key' },
    { method: 'GET', path: '/a.json' },
    { method: 'POST', path: '/a/:b/c/:d' },
  ];
  expect(allowedMethods(routes, '/sessions/1')).toEqual(['GET', 'HEAD', 'POST']);
  expect(allowedMethods(routes, '/sessions/1?a=/b')).toEqual(['GET', 'HEAD', 'POST']);
  expect(allowedMethods(routes, '/a/1/c/2')).toEqual(['POST']);
  expect(allowedMethods(routes, '/axjson')).toEqual([]);
  expect(allowedMethods(routes, '/sessions/1/2')).toEqual([]);
});
