import process from 'node:process';

/**
 * Function calls from a process to its child process, over Node's channel between the two.
 *
 * @typedef {{ readonly id: number, readonly name: string, readonly args: readonly any[] }} Call
 * @typedef {{ readonly id: number, readonly value?: any, readonly error?: string }} Answer
 */

/**
 * Answers the parent's calls. The child process uses this.
 *
 * @param {Readonly<Record<string, (...args: any[]) => Promise<unknown>>>} handlers
 */
export function answerCalls(handlers) {
  process.on('message', async (/** @type {Call} */ { id, name, args }) => {
    try {
      process.send?.({ id, value: await handlers[name]?.(...args) });
    } catch (error) {
      process.send?.({ id, error: String(error) });
    }
  });
}

/**
 * Returns a function that calls the child process. The parent uses this.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @returns {(name: string, ...args: readonly unknown[]) => Promise<any>}
 */
export function callerOf(child) {
  /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
  const open = new Map();
  let calls = 0;
  child.on('message', (/** @type {Answer} */ { id, value, error }) => {
    const call = open.get(id);
    open.delete(id);
    if (error === undefined) call?.resolve(value);
    else call?.reject(new Error(error));
  });
  child.once('exit', (code) => {
    for (const { reject } of open.values()) reject(new Error(`The worker ended with ${code}`));
  });
  return (name, ...args) =>
    new Promise((resolve, reject) => {
      const id = (calls += 1);
      open.set(id, { resolve, reject });
      child.send({ id, name, args });
    });
}
