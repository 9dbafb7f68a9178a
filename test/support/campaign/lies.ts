import { randomUUID } from 'node:crypto';
import type { TrueAnswer } from '../service/relay';

// A campaign tests the product against a payment service that lies: it replaces some of its true answers by false ones.

/** A false answer in place of a true one: other content, no answer, or the end of the connection. */
export type FalseAnswer =
  | {
      readonly status: number;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | 'reset'
  | 'hang'
  /** An answer that begins, continues byte by byte, and never ends. */
  | 'drip';

/** Returns a false answer, made from the true one. `authorization` is the header of the call. */
export type Lie = (truth: TrueAnswer, authorization: string) => FalseAnswer;

/** Returns a lie that changes fields of the true answer. The value `undefined` removes a field. */
const saying =
  (change: Readonly<Record<string, unknown>>): Lie =>
  ({ body }) => ({ status: 200, body: JSON.stringify({ ...body, ...change }) });

/** Returns a lie that reports a paid session, with a change. */
const paidBut = (change: Readonly<Record<string, unknown>>): Lie =>
  saying({ status: 'Completed', statusDetails: 'EFT0301', ...change });

const echoing =
  (wrap: (authorization: string) => string): Lie =>
  (_truth, authorization) => ({
    status: 500,
    body: JSON.stringify({ title: 'Error', detail: `Authorization was ${wrap(authorization)}` }),
  });

/** Lies in the answers to details and cancel requests, by name. */
export const LIES: Readonly<Record<string, Lie>> = {
  'another session is paid': (truth, authorization) =>
    paidBut({ sessionId: randomUUID() })(truth, authorization),
  'another session is cancelled': (truth, authorization) =>
    saying({ sessionId: randomUUID(), status: 'Cancelled', statusDetails: 'EFT0501' })(truth, authorization),
  'another reference is paid': paidBut({ referenceId: 'somebody-else' }),
  // The answer to a cancel has no field `type`. Only the answer about an EFT has a code, so the code shows the kind.
  'another type is paid': ({ body }, authorization) =>
    paidBut({ type: 'statusDetails' in body ? 'e-Transfer' : 'EFT' })({ status: 200, body }, authorization),
  'another direction is paid': paidBut({ direction: 'CREDIT' }),
  'Completed with a number for its code': paidBut({ statusDetails: 301 }),
  'Completed with an object for its code': paidBut({ statusDetails: { code: 'EFT0301' } }),
  'Completed with an unknown code': paidBut({ statusDetails: 'EFT0399' }),
  'a status that nobody knows': saying({ status: 'Settling', statusDetails: 'EFT0101' }),
  'a status that goes backwards': saying({ status: 'Initiated', statusDetails: 'EFT0101' }),
  'deep JSON': () => ({ status: 200, body: '['.repeat(50_000) + ']'.repeat(50_000) }),
  'half an answer': ({ body }) => ({ status: 200, body: JSON.stringify(body).slice(0, 20) }),
  'an HTML page': () => ({
    status: 502,
    body: '<h1>Bad gateway</h1>',
    headers: { 'content-type': 'text/html' },
  }),
  'an error that quotes the token': echoing((authorization) => authorization),
  'an error that quotes the token in base64': echoing((text) => Buffer.from(text).toString('base64')),
  'an absurd Retry-After': () => ({ status: 429, body: '', headers: { 'retry-after': '99999999' } }),
  'a refused token': () => ({ status: 401, body: '{}' }),
  'a reset connection': () => 'reset',
  'no answer': () => 'hang',
  'an answer without an end': () => 'drip',
  'an answer of a megabyte': ({ body }) => ({
    status: 200,
    body: JSON.stringify({ ...body, filler: 'x'.repeat(1_000_000) }),
  }),
};

/** Lies only about kinds of sessions with codes. They would be wrong for an e-Transfer: it has no code and is paid once Completed. */
export const CODED_LIES: Readonly<Record<string, Lie>> = {
  'Completed without a code': paidBut({ statusDetails: undefined }),
};

/** Lies in the answers to create requests, by name. */
export const CREATE_LIES: Readonly<Record<string, Lie>> = {
  'a reset connection': () => 'reset',
  'deep JSON': () => ({ status: 201, body: '['.repeat(50_000) + ']'.repeat(50_000) }),
  'an HTML page': () => ({
    status: 502,
    body: '<h1>Bad gateway</h1>',
    headers: { 'content-type': 'text/html' },
  }),
  'an error that quotes the token': echoing((authorization) => authorization),
};
