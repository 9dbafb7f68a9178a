const { dirname, join } = require('node:path');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/**
 * The names of the globals in which Jest keeps a test file's settings: its event handlers, and the values of
 * `jest.retryTimes` and `jest.setTimeout`.
 */
const SETTINGS_OF_A_FILE = [
  'EVENT_HANDLERS',
  'LOG_ERRORS_BEFORE_RETRY',
  'RETRY_IMMEDIATELY',
  'RETRY_TIMES',
  'TEST_TIMEOUT_SYMBOL',
  'WAIT_BEFORE_RETRY',
];

/**
 * The test environment in which all test files of a process use the process's own globals, so that they can share loaded
 * modules (`sharing-runtime.cjs`). After each file, it removes fake timers, mocks, changes of `process.env`, tracing and
 * Temporal's native runtime. A file fails if it leaves a connection or worker of Temporal open.
 */
module.exports = class ProcessEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  /** Jest reads this property. There are no legacy fake timers here. */
  fakeTimers = null;
  #env = { ...process.env };
  #exit = process.exit;
  #openBefore = openInTemporal();

  /** @param {import('@jest/environment').JestEnvironmentConfig} config */
  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    this.moduleMocker.restoreAllMocks();
    for (const name of Object.keys(process.env)) if (!(name in this.#env)) delete process.env[name];
    Object.assign(process.env, this.#env);
    for (const name of SETTINGS_OF_A_FILE) Reflect.deleteProperty(globalThis, Symbol.for(name));
    // Jest replaces `process.exit` for each file, so this restores it.
    process.exit = this.#exit;
    unregisterOpenTelemetry();
    await shutDownTemporal();
    const left = openInTemporal() - this.#openBefore;
    if (left > 0) throw new Error(`This file leaves ${left} of Temporal’s connections and workers open.`);
  }

  exportConditions() {
    return ['node', 'node-addons', 'require', 'default'];
  }

  getVmContext() {
    return globalThis;
  }
};

const OPENTELEMETRY = require.resolve('@opentelemetry/api');

/**
 * Unregisters everything that a test file has registered with OpenTelemetry. Otherwise OpenTelemetry's API would ignore the next
 * file's registration, and that file's spans would go to the processor that this file has shut down.
 */
function unregisterOpenTelemetry() {
  /** @type {typeof import('@opentelemetry/api') | undefined} */
  const api = require.cache[OPENTELEMETRY]?.exports;
  if (api === undefined) return;
  // `diag` is the last, because the other parts log to it.
  for (const part of [api.trace, api.context, api.propagation, api.metrics, api.diag]) part.disable();
}

const TEMPORAL_RUNTIME = join(dirname(require.resolve('@temporalio/worker')), 'runtime.js');

/**
 * Shuts down a runtime that a test file has installed but not used. A runtime that was used shuts down with its last
 * connection.
 */
async function shutDownTemporal() {
  const runtime = temporalRuntime();
  if (runtime?.isIdle()) await runtime.shutdown();
}

/** Returns the number of Temporal's native connections and workers that are open. Each keeps the native runtime running. */
const openInTemporal = () => temporalRuntime()?.backRefs.size ?? 0;

const temporalRuntime = () => require.cache[TEMPORAL_RUNTIME]?.exports.Runtime._instance;
