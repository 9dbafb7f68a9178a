import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import {
  cpuMs,
  cpuMsWithChildren,
  cpuTicks,
  cpuTicksWithEnded,
  peakKib,
  residentKib,
} from '../../../bench/figures/process-stat';
import { byKind } from '../../../bench/figures/thread-cpu';

/** A line of Linux’s `/proc/PID/stat`. It has user and system time 250 and 125, and 7 and 9 for ended children. */
const stat = (name: string) =>
  `4711 (${name}) S 1 4711 4711 0 -1 4194560 2500 0 3 0 250 125 7 9 20 0 15 0 100 1000000 500`;

test('cpuTicks returns a process’s user time plus its system time, without the time of ended children', () => {
  expect(cpuTicks(stat('node'))).toBe(375);
});

test('cpuTicksWithEnded adds the user and system time of ended children', () => {
  expect(cpuTicksWithEnded(stat('node'))).toBe(391);
});

test('cpuTicks reads a process whose name contains spaces and brackets', () => {
  expect(cpuTicks(stat('a (b) c) d'))).toBe(375);
});

test('a text that is not a process’s stat or status file throws a RangeError', () => {
  expect(() => cpuTicks('nothing of the kind')).toThrow(RangeError);
  expect(() => residentKib('Name:\tnode\n')).toThrow(RangeError);
});

test('residentKib returns a process’s current memory, and peakKib returns its highest', () => {
  const status = 'Name:\tnode\nVmHWM:\t  9000 kB\nVmRSS:\t    8192 kB\n';
  expect([residentKib(status), peakKib(status)]).toEqual([8192, 9000]);
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('the CPU time of this process is the time that Node reports', () => {
  const busyUntil = process.cpuUsage().user / 1_000 + 100;
  while (process.cpuUsage().user / 1_000 < busyUntil);
  const { user, system } = process.cpuUsage();
  expect(Math.abs(cpuMs(process.pid) - (user + system) / 1_000)).toBeLessThan(50);
});

const BUSY = 'while (process.cpuUsage().user < 200_000); console.log(); process.stdin.resume();';

onLinux('the CPU time of a process’s children counts while they run and after they have ended', async () => {
  const beforeMs = cpuMsWithChildren(process.pid) - cpuMs(process.pid);
  const childrenMs = () => cpuMsWithChildren(process.pid) - cpuMs(process.pid) - beforeMs;
  const child = spawn(process.execPath, ['-e', BUSY], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  expect(childrenMs()).toBeGreaterThanOrEqual(190);
  child.stdin.end();
  await once(child, 'exit');
  expect(childrenMs()).toBeGreaterThanOrEqual(190);
});

test('byKind identifies a worker’s threads by their names, and threads named “node” by the order in which they started', () => {
  const node = (id: number, cpuMs: number) => ({ id, name: 'node', cpuMs });
  const threads = [
    node(30, 8),
    ...[11, 12, 13, 14, 15].map((id) => node(id, 1)),
    node(10, 20),
    { id: 20, name: 'tokio-runtime-w', cpuMs: 3 },
    { id: 31, name: 'workflow-proces', cpuMs: 1 },
  ];
  expect(byKind(10, threads)).toEqual({ mainMs: 20, workflowMs: 8, v8Ms: 5, coreMs: 4 });
});
