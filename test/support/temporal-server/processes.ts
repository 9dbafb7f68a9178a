import { setTimeout as sleep } from 'node:timers/promises';

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits until a process has ended that this process has not started. */
export async function ended(pid: number, withinMs = 15_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (isRunning(pid)) {
    if (Date.now() > deadline) throw new Error(`process ${pid} still runs after ${withinMs} ms`);
    await sleep(20);
  }
}
