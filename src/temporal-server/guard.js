/**
 * The guard: a small program between its parent process, which is us, and the server. It stops the server when it gets a signal, or when
 * the channel to us breaks, which happens however our process ends. The guard and the server have a process group of their own, so a
 * Ctrl-C in a terminal reaches neither and we decide the order of stopping. All files that the server creates are for its owner only.
 *
 * Arguments: the signal that stops the server, the milliseconds until it is killed, the process's user (UID:GID, or empty for our own
 * user), the executable and its arguments.
 * It sends us `{ pid }` of the server, or `{ reason }` if the server cannot be started.
 */
const { spawn } = require('node:child_process');

process.umask(0o077);
const [stopSignal, graceMs, owner = '', executable = '', ...args] = process.argv.slice(2);
const [uid, gid] = owner.split(':').map(Number);
const server = spawn(executable, args, {
  stdio: ['ignore', 'inherit', 'inherit'],
  ...(owner !== '' && { uid, gid }),
});

let stopping = false;
const stop = () => {
  if (stopping) return;
  stopping = true;
  server.kill(/** @type {NodeJS.Signals} */ (stopSignal));
  setTimeout(() => server.kill('SIGKILL'), Number(graceMs)).unref();
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
process.once('disconnect', stop);
server.once('spawn', () => process.send?.({ pid: server.pid }, () => {}));
server.once('error', (error) => process.send?.({ reason: error.message }, () => process.exit(1)));
server.once('exit', () => process.exit());
