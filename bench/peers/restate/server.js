import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import process from 'node:process';
import { request } from 'undici';
import { freePort, startProgram, untilReady } from '../shared/processes.js';

const require = createRequire(import.meta.url);

/**
 * Starts a new Restate server with the defaults. Its state is in the folder.
 *
 * @param {string} folder
 */
export async function startRestate(folder) {
  const [ingress, admin, node] = await Promise.all([freePort(), freePort(), freePort()]);
  const program = startProgram(binary(), ['--no-logo', '--base-dir', folder], {
    cwd: folder,
    env: {
      ...process.env,
      RESTATE_LISTEN_MODE: 'tcp',
      RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
      RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
      RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_LOG_FILTER: 'warn',
    },
  });
  const urls = { ingress: `http://127.0.0.1:${ingress}`, admin: `http://127.0.0.1:${admin}` };
  await untilReady(
    program,
    async () =>
      (await isHealthy(`${urls.ingress}/restate/health`)) && (await isHealthy(`${urls.admin}/health`)),
  );
  return { pid: program.child.pid ?? NaN, urls };
}

function binary() {
  const name = `@restatedev/restate-server-${platform()}-${arch()}`;
  try {
    return require.resolve(`${name}/bin/restate-server`);
  } catch {
    throw new Error(
      `${name} is not installed: run "npm ci" in bench/peers. Restate has servers for Linux and macOS alone.`,
    );
  }
}

/** @param {string} url */
async function isHealthy(url) {
  try {
    const { statusCode, body } = await request(url);
    await body.dump();
    return statusCode === 200;
  } catch {
    return false;
  }
}

/**
 * Registers the worker with the server.
 *
 * @param {string} adminUrl
 * @param {string} workerUrl
 */
export async function registerWorker(adminUrl, workerUrl) {
  const { statusCode, body } = await request(`${adminUrl}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: workerUrl }),
  });
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`The Restate server did not take the worker: ${statusCode} ${text}`);
}
