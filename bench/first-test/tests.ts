import type { JobSide } from '../sides/side';

/**
 * The baseline of the workload `first-test`. It tests the workflow of docs/guides/testing.md in Temporal's own
 * time-skipping environment, as that environment's documentation shows. There is no sandbox, so a workflow that sleeps
 * replaces the payment. Each test bundles the workflows and starts a test server.
 */

const WORKFLOWS = `import { sleep } from '@temporalio/workflow';
export { order } from './order-workflow';

export async function paymentSession(): Promise<{ paid: boolean }> {
  await sleep('3 days');
  return { paid: true };
}
`;

/** A module that tests under any runner import. Its function runs the order's workflow in a new environment. */
const ENVIRONMENT = `import { join } from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { Worker } from '@temporalio/worker';
import { SEARCH_ATTRIBUTES } from 'paysession/workflows';
import type { order } from './order-workflow';

const payor = { firstName: 'Avery', lastName: 'Tremblay', email: 'avery@example.com' };
const options = { guarantee: { enable: false } } as const;
const request = { type: 'EFT', direction: 'DEBIT', amount: 25, options, payor } as const;
const KEYWORD = 2;
const searchAttributes = Object.fromEntries(Object.values(SEARCH_ATTRIBUTES).map((name) => [name, KEYWORD]));

export async function shipsOrder(id: string): Promise<readonly string[]> {
  const path = process.env['BENCH_TEST_SERVER'] ?? '';
  const environment = await TestWorkflowEnvironment.createTimeSkipping({
    server: { executable: { type: 'existing-path', path } },
  });
  try {
    await environment.connection.operatorService.addSearchAttributes({ namespace: 'default', searchAttributes });
    const shipped: string[] = [];
    const worker = await Worker.create({
      connection: environment.nativeConnection,
      taskQueue: 'payment-sessions',
      workflowsPath: join(__dirname, 'workflows.ts'),
      activities: { ship: (order: string) => void shipped.push(order), release: () => undefined },
    });
    const where = { workflowId: id, taskQueue: 'payment-sessions' };
    const running = environment.client.workflow.execute<typeof order>('order', { ...where, args: [id, request] });
    await worker.runUntil(running);
    return shipped;
  } finally {
    await environment.teardown();
  }
}
`;

const testFile = (names: readonly string[]) => `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shipsOrder } from './environment';
${names
  .map(
    (name) => `
test('${name} is shipped when it is paid three days later', async () => {
  assert.deepEqual(await shipsOrder('${name}'), ['${name}']);
});
`,
  )
  .join('')}`;

/** The baseline's files. They have as many tests and as many test files as docs/guides/testing.md has. */
export const BASELINE_FILES: Readonly<Record<string, string>> = {
  'workflows.ts': WORKFLOWS,
  'environment.ts': ENVIRONMENT,
  'order.test.ts': testFile(['order-1']),
  'faults.test.ts': testFile(['order-2', 'order-3']),
  'replay.test.ts': testFile(['order-4']),
  'shop.test.ts': testFile(['order-5']),
  'vitest.config.mts': `import { defineConfig } from 'vitest/config';
export default defineConfig({ test: { testTimeout: 120_000 } });
`,
  'jest.config.cjs': "module.exports = { testTimeout: 120_000, transform: { '\\\\.ts$': '@swc/jest' } };\n",
};

/**
 * Returns a program that does the work of the page's first test repeatedly in one process. It prints how long each
 * repetition takes except the first one, in seconds.
 */
const repeatingProgram = (shipsOrder: string, worlds = 'const worldS = async () => [];') => `${shipsOrder}
const times = Number(process.argv[2]);

async function secondsOf(work) {
  const seconds = [];
  for (let turn = 0; turn <= times; turn += 1) {
    const beganAtMs = performance.now();
    await work('order-' + turn);
    seconds.push((performance.now() - beganAtMs) / 1_000);
  }
  return seconds.slice(1);
}
${worlds}

(async () => {
  const furtherS = await secondsOf(async (id) => {
    const shipped = await shipsOrder(id);
    if (shipped.length !== 1) throw new Error('nothing was shipped');
  });
  console.log(JSON.stringify({ furtherS, worldS: await worldS() }));
})();
`;

/** The first test of docs/guides/testing.md as a function, without a test runner. */
const WORLDS = `const { join } = require('node:path');
const { createPaymentWorld } = require('paysession/testing');
const payor = { firstName: 'Avery', lastName: 'Tremblay', email: 'avery@example.com' };
const options = { guarantee: { enable: false } };
const request = { type: 'EFT', direction: 'DEBIT', amount: 25, options, payor };

const makeWorld = (ship) =>
  createPaymentWorld({
    workflowsPath: join(__dirname, 'order-workflow.ts'),
    activities: { ship, release: () => undefined },
  });

async function shipsOrder(id) {
  const shipped = [];
  const world = await makeWorld((order) => void shipped.push(order));
  try {
    const where = { workflowId: id, taskQueue: world.taskQueue };
    const running = await world.client.workflow.start('order', { ...where, args: [id, request] });
    await (await world.payorOf(id)).signsPadAfter('3d');
    await running.result();
    return shipped;
  } finally {
    await world.close();
  }
}`;

/**
 * Creates and closes worlds in which nothing happens. They share a test server that keeps running, as with the presets
 * for jest and vitest.
 */
const ON_KEPT_SERVER = `
async function worldS() {
  const { default: setup } = require(require('paysession/testing/vitest').globalSetup[0]);
  const end = await setup({});
  const seconds = await secondsOf(async () => (await makeWorld(() => undefined)).close());
  await end();
  return seconds;
}`;

export const WORLDS_FILES: Readonly<Record<JobSide, string>> = {
  baseline: repeatingProgram("const { shipsOrder } = require('./environment');"),
  paysession: repeatingProgram(WORLDS, ON_KEPT_SERVER),
};
