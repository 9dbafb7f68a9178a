/**
 * The guard: a small program that a parent process starts, and that starts a server. It stops the server if it gets a signal, or if the
 * channel to the parent process breaks. The channel breaks even if the parent process is killed, so the server never outlives the parent
 * process.
 *
 * The guard and the server have their own process group. So a Ctrl-C in a terminal does not reach them, and the parent process decides
 * when the server stops. Only the server's user can read the files that the server creates.
 *
 * Arguments: the signal that stops the server, the milliseconds after which it is killed, the server's user (UID:GID, or empty for the
 * guard's own user), the executable and the executable's arguments.
 *
 * The guard sends the parent process `{ pid }` of the server, or `{ reason }` if the server cannot be started.
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
