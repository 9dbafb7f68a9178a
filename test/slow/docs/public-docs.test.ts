import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { publicDeclarations } from '../../support/docs/public-declarations';
import { compiled, ROOT } from '../../support/docs/snippets';

const declarations = publicDeclarations();

test('all exports of the package and their members have doc comments', () => {
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
  'src/contract: returnReason',
  'src: paymentSessionService',
  'src: errorCodeOf',
  'workflows: runPaymentSession',
  'workflows: startPaymentSession',
  'workflows: cancelPaymentSession',
  'workflows: readPaymentSession',
  'workflows: cancelSignal',
  'workflows: stateQuery',
  'worker: createWorker',
  'worker: ensureSearchAttributes',
  'worker: installRuntime',
  'worker: serveProbes',
  'worker/traces: clientTracing',
  'worker/traces: workerTracing',
  'ledger: PaymentLedger',
  'ledger: PaymentLedger.entriesOf',
  'ledger: PaymentLedger.checkpoint',
  'ledger: PaymentLedger.prove',
  'ledger: PaymentLedger.verify',
  'ledger: PaymentLedger.erase',
  'ledger: PaymentLedger.handleReturn',
  'ledger: PaymentLedger.rewrap',
  'ledger: PaymentLedger.reconcile',
  'ledger: migrate',
  'ledger: sweepLedger',
  'ledger: checkpointFolder',
  'ledger: keepLedger',
  'ledger: newSigningKey',
  'ledger: readSigningKey',
  'ledger: sendWebhooks',
  'sandbox: createSandbox',
  'sandbox: Sandbox.listen',
  'sandbox: Sandbox.act',
  'sandbox: Sandbox.hold',
  'sandbox: Sandbox.failNext',
  'sandbox: loadSandboxClients',
  'sandbox: manualClock',
  'testkit: createPaymentWorld',
  'testkit: PaymentWorld.payor',
  'testkit: PaymentWorld.payorOf',
  'testkit: PaymentWorld.advance',
  'testkit: WorldService.fail',
  'testkit: parseHistory',
  'testkit: readHistories',
  'testkit: replayHistories',
  'testkit: replayOpenSessions',
  'testkit: exportSession',
  'src/embed: embedCheckout',
])('%s has an example', (name) => {
  expect(declarations).toContainEqual({ name, doc: expect.any(String), examples: [expect.any(String)] });
});

test.each(['PaymentSessions', 'PaymentSessionHandle'])(
  'the guide’s table of calls lists every method of %s',
  (of) => {
    const methods = declarations.flatMap(({ name }) => name.split(`src: ${of}.`)[1] ?? []);
    const calls = methods.filter((name) => !['key', 'workflowId', 'started', 'constructor'].includes(name));
    const rows = readFileSync(join(ROOT, 'docs/guides/sessions.md'), 'utf8').matchAll(
      /^\| `(?:\w+\.)?(\w+)\(/gm,
    );
    const listed = Array.from(rows, ([, name]) => name);
    expect(calls.length).toBeGreaterThan(5);
    expect(calls.filter((name) => !listed.includes(name))).toEqual([]);
  },
);

/** Declarations of the names that examples use without declaring them. */
const GIVEN = `
import { readFile, writeFile } from 'node:fs/promises';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { encryptedDataConverter, ERROR_CODES, explain, InvalidRequestError, isPaysessionError, type PaymentSessionHandle, type PaymentSessionInput, PaymentSessions, PaysessionError, problemsOf, SessionFailedError, type SessionRequest, type SessionState, validateSessionRequest } from 'paysession';
import { isPaid, RETURN_REMEDIES, returnReason } from 'paysession/contract';
import { embedCheckout } from 'paysession/embed';
import { checkpointFolder, keepLedger, LedgerDatabase, migrate, newSigningKey, PaymentLedger, readSigningKey, sendWebhooks, sweepLedger, type WebhookEndpoint, webhookPost } from 'paysession/ledger';
import { errorCodeOf, paymentSessionService } from 'paysession/nexus';
import { createSandbox, loadSandboxClients, manualClock, type Sandbox } from 'paysession/sandbox';
import { createPaymentWorld, exportSession, parseHistory, type PaymentWorld, readHistories, replayHistories, replayOpenSessions } from 'paysession/testing';
import { createWorker, ensureSearchAttributes, installRuntime, type PaymentWorker, serveProbes } from 'paysession/worker';
import { cancelPaymentSession, readPaymentSession, runPaymentSession, startPaymentSession } from 'paysession/workflows';
declare const client: Client;
declare const connection: NativeConnection;
declare const accounts: Parameters<typeof createWorker>[0]['accounts'];
declare const endpoints: readonly WebhookEndpoint[];
declare const error: PaysessionError;
declare const ledger: PaymentLedger;
declare const request: SessionRequest;
declare const sandbox: Sandbox;
declare const session: PaymentSessionHandle;
declare const sessionId: string;
declare const sessions: PaymentSessions;
declare const signer: NonNullable<ReturnType<typeof readSigningKey>>;
declare const state: SessionState;
declare const worker: PaymentWorker;
declare const world: PaymentWorld;
`;

test('every example in the doc comments compiles', async () => {
  const examples = [...new Set(declarations.flatMap((declaration) => declaration.examples))];
  expect(examples.length).toBeGreaterThan(70);
  const files = examples.map((code, index) => [`example-${index + 1}.mts`, inScope(code)] as const);
  expect(await compiled(new Map(files))).toBe('');
});

/** Puts the part of an example after its imports into a block, so that the example may declare names of `GIVEN` itself. */
function inScope(example: string): string {
  if (example.startsWith('export ')) return GIVEN + example;
  const [imports = ''] = /^(?:import .*\n)*/.exec(example) ?? [];
  return `${GIVEN}${imports}{\n${example.slice(imports.length)}\n}`;
}
