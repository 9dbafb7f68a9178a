import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { publicDeclarations } from '../../support/docs/public-declarations';
import { compiled, ROOT } from '../../support/docs/snippets';

const declarations = publicDeclarations();

test('everything that the package exports has a doc comment, as do its members', () => {
  expect(declarations.length).toBeGreaterThan(300);
  expect(declarations.filter(({ doc }) => doc === '').map(({ name }) => name)).toEqual([]);
});

test.each([
  'src: PaymentSessions',
  'src: PaymentSessions.start',
  'src: PaymentSessions.open',
  'src: PaymentSessions.startMany',
  'src: PaymentSessions.get',
  'src: PaymentSessions.list',
  'src: PaymentSessionHandle.opened',
  'src: PaymentSessionHandle.cancel',
  'src: PaymentSessionHandle.cancelAndWait',
  'src: PaymentSessionHandle.refresh',
  'src: PaymentSessionHandle.state',
  'src: PaymentSessionHandle.stateHistory',
  'src: PaymentSessionHandle.changes',
  'src: PaymentSessionHandle.result',
  'src: PaymentSessionHandle.previewAdopt',
  'src: PaymentSessionHandle.resolveCreate',
  'src: encryptedDataConverter',
  'src: isPaysessionError',
  'src: validateSessionRequest',
  'workflows: runPaymentSession',
  'workflows: startPaymentSession',
  'workflows: cancelPaymentSession',
  'workflows: readPaymentSession',
  'worker: createWorker',
  'sandbox: createSandbox',
  'testkit: createPaymentWorld',
  'testkit: replayHistories',
  'testkit: exportSession',
  'src/embed: embedCheckout',
])('%s has an example', (name) => {
  expect(declarations).toContainEqual({ name, doc: expect.any(String), examples: [expect.any(String)] });
});

test.each(['PaymentSessions', 'PaymentSessionHandle'])('the guide’s table of calls has each of %s', (of) => {
  const methods = declarations.flatMap(({ name }) => name.split(`src: ${of}.`)[1] ?? []);
  const calls = methods.filter((name) => !['key', 'workflowId', 'started', 'constructor'].includes(name));
  const rows = readFileSync(join(ROOT, 'docs/guides/sessions.md'), 'utf8').matchAll(
    /^\| `(?:\w+\.)?(\w+)\(/gm,
  );
  const listed = Array.from(rows, ([, name]) => name);
  expect(calls.length).toBeGreaterThan(5);
  expect(calls.filter((name) => !listed.includes(name))).toEqual([]);
});

/** What the examples take for granted. */
const GIVEN = `
import { writeFile } from 'node:fs/promises';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { encryptedDataConverter, ERROR_CODES, explain, InvalidRequestError, isPaysessionError, type PaymentSessionHandle, type PaymentSessionInput, PaymentSessions, PaysessionError, problemsOf, SessionFailedError, type SessionRequest, type SessionState, validateSessionRequest } from 'paysession';
import { isPaid } from 'paysession/contract';
import { embedCheckout } from 'paysession/embed';
import { createSandbox } from 'paysession/sandbox';
import { createPaymentWorld, exportSession, readHistories, replayHistories } from 'paysession/testing';
import { createWorker } from 'paysession/worker';
import * as workflows from 'paysession/workflows';
const { cancelPaymentSession, readPaymentSession, runPaymentSession, startPaymentSession } = workflows;
declare const client: Client;
declare const error: PaysessionError;
declare const state: SessionState;
declare const request: SessionRequest;
declare const session: PaymentSessionHandle;
declare const sessions: PaymentSessions;
`;

test('every example compiles', async () => {
  const examples = [...new Set(declarations.flatMap((declaration) => declaration.examples))];
  expect(examples.length).toBeGreaterThan(20);
  const files = examples.map((code, index) => [`example-${index + 1}.mts`, inScope(code)] as const);
  expect(await compiled(new Map(files))).toBe('');
});

/** An example in a scope of its own, so that it may use names that others use, too. */
function inScope(example: string): string {
  return example.startsWith('export ') ? GIVEN + example : `${GIVEN}{\n${example}\n}`;
}
