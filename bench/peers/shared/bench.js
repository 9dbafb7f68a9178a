import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuMsOfTree } from './cpu.js';
import { atEnd, runToItsEnd } from './ending.js';
import { readOptions } from './options.js';
import { sandboxEnvironment, startSandbox } from './sandbox.js';
import { runSessions } from './sessions.js';

/**
 * @typedef {import('./sessions.js').Peer} Peer
 * @typedef {import('./options.js').Options} Options
 * @typedef {import('./sandbox.js').SandboxAddress} SandboxAddress
 */

/** The wait before the idle use is measured. V8 collects garbage for up to twenty seconds after work has ended. */
const SETTLING_MS = 25_000;

/**
 * Measures a peer (a server with its worker) and prints the figures as one JSON object.
 *
 * @param {(folder: string, workerEnvironment: Record<string, string>, sandbox: SandboxAddress) => Promise<Peer>}
 * startPeer
 */
export function bench(startPeer) {
  return runToItsEnd(async () => {
    const options = readOptions();
    if (options === undefined) return;
    const folder = await mkdtemp(join(tmpdir(), 'paysession-peer-'));
    atEnd(() => rm(folder, { recursive: true, force: true }));
    const sandbox = options.sandbox ?? (await startSandbox());
    const peer = await startPeer(folder, { NODE_ENV: 'production', ...sandboxEnvironment(sandbox) }, sandbox);

    await runSessions(peer, sandbox, {
      ...options,
      sessions: options.warmUp,
      startEveryMs: 0,
      completesAfterMs: 0,
    });
    await sleep(SETTLING_MS);
    const idle = await cpuDuring(peer, () => sleep(options.idleMs));
    const busy = await cpuDuring(peer, () => runSessions(peer, sandbox, options));
    console.log(JSON.stringify(report(peer, options, idle, busy), undefined, 2));
  });
}

/**
 * @template Result
 * @param {Peer} peer
 * @param {() => Promise<Result>} work
 */
async function cpuDuring({ workerPid, serverPid }, work) {
  const read = () => ({ worker: cpuMsOfTree(workerPid), server: cpuMsOfTree(serverPid) });
  const startedAt = performance.now();
  const before = read();
  const result = await work();
  const after = read();
  const wallMs = performance.now() - startedAt;
  return { result, wallMs, worker: after.worker - before.worker, server: after.server - before.server };
}

/**
 * @param {Peer} peer
 * @param {Options} options
 * @param {Awaited<ReturnType<typeof cpuDuring>>} idle
 * @param {Awaited<ReturnType<typeof cpuDuring<Awaited<ReturnType<typeof runSessions>>>>>} busy
 */
function report({ versions }, options, idle, busy) {
  const { sessions } = options;
  const measured = busy.result;
  /** @param {'worker' | 'server'} part */
  const cpuPerSession = (part) => (busy[part] - (idle[part] * busy.wallMs) / idle.wallMs) / sessions;
  const cpu = { worker: cpuPerSession('worker'), server: cpuPerSession('server') };
  const delays = measured.map(({ delayMs }) => delayMs);
  const starts = measured.map(({ startToUrlMs }) => startToUrlMs);
  const detailsCalls = measured.reduce((sum, { polls }) => sum + polls, 0);
  return {
    versions: { ...versions, node: process.version },
    sessions,
    startEveryMs: options.startEveryMs,
    endedBy: options.cancels ? 'cancel' : 'service',
    completesAfterS: options.completesAfterMs / 1000,
    pollEveryMs: options.pollEveryMs,
    detailsCalls,
    detailsCallsPerSession: rounded(detailsCalls / sessions),
    detectionDelayMs: { p50: percentile(delays, 50), p95: percentile(delays, 95) },
    startToCheckoutUrlMs: { p50: percentile(starts, 50), p99: percentile(starts, 99) },
    openedPerSecond: rounded(
      (sessions * 1000) / Math.max(...measured.map(({ openedAfterMs }) => openedAfterMs)),
    ),
    cpuMsPerSession: {
      worker: rounded(cpu.worker),
      server: rounded(cpu.server),
      both: rounded(cpu.worker + cpu.server),
    },
    idleCpuMsPerSecond: {
      worker: rounded((idle.worker * 1000) / idle.wallMs),
      server: rounded((idle.server * 1000) / idle.wallMs),
    },
    wallS: rounded(busy.wallMs / 1000),
    loadAverage: rounded(loadavg()[0] ?? NaN),
  };
}

/** @param {number} value */
const rounded = (value) => Math.round(value * 10) / 10;

/**
 * @param {readonly number[]} values
 * @param {number} percent
 */
function percentile(values, percent) {
  const sorted = values.toSorted((one, other) => one - other);
  return rounded(sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? NaN);
}
