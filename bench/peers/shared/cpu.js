import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second, on every architecture that Node supports. */
const MS_A_TICK = 10;

/**
 * Returns the CPU time that a process and all its child processes have used, including child processes that have ended.
 *
 * @param {number} root its process id
 * @returns {number} milliseconds
 */
export function cpuMsOfTree(root) {
  const processes = readProcesses();
  /** @type {(pid: number) => number} */
  const ticksOf = (pid) => {
    const children = [...processes].filter(([, { parent }]) => parent === pid);
    return children.reduce((sum, [child]) => sum + ticksOf(child), processes.get(pid)?.ticks ?? 0);
  };
  return ticksOf(root) * MS_A_TICK;
}

function readProcesses() {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return new Map(pids.flatMap((pid) => readProcess(Number(pid))));
}

/**
 * @param {number} pid
 * @returns {readonly (readonly [number, { readonly parent: number, readonly ticks: number }])[]} none if it has just ended
 */
function readProcess(pid) {
  let stat;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return [];
  }
  // The name, in parentheses, may contain spaces. The first fields after the name are the state and the parent. The
  // fields 12 to 15 are times: the process's user and system time, then the user and system time of its ended children.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return [[pid, { parent: Number(fields[1]), ticks }]];
}
