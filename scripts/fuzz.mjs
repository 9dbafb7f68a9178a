/**
 * Fuzzes the sandbox with Schemathesis: sends random requests that follow the sandbox's OpenAPI document, and checks the answers. Installs
 * Schemathesis in a temporary Python environment.
 *
 *   npm run test:fuzz                a new seed, which is printed
 *   npm run test:fuzz -- --seed 42   the requests of an earlier seed again
 */
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fetch } from 'undici';

const SCHEMATHESIS = 'schemathesis==4.32.5';
const MAX_EXAMPLES = 60;
const MAX_SECONDS = 120;

/**
 * The check is excluded because the schema cannot express some rules, such as a minimum below the maximum. So the sandbox may refuse data
 * that matches the schema.
 */
const EXCLUDED_CHECKS = 'positive_data_acceptance';

const CONFIG = `
[auth.openapi.bearer]
bearer = "\${PAYSESSION_FUZZ_TOKEN}"

[auth.openapi.basic]
username = "\${PAYSESSION_FUZZ_CLIENT}"
password = "\${PAYSESSION_FUZZ_SECRET}"
`;

const { values } = parseArgs({ options: { seed: { type: 'string' } } });
const seed = values.seed ?? String(randomInt(2 ** 31));
const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs a program to its end, and returns its exit code. If this script is interrupted, it ends the program first. */
function run(program, args, options = {}) {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { stdio: 'inherit', ...options });
    const stop = () => child.kill();
    process.once('SIGINT', stop).once('SIGTERM', stop);
    child.once('error', fail);
    child.once('close', (code) => {
      process.off('SIGINT', stop).off('SIGTERM', stop);
      done(code ?? 1);
    });
  });
}

async function must(program, args, options) {
  const code = await run(program, args, options);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}`);
}

async function installSchemathesis(folder) {
  const venv = join(folder, 'venv');
  await must('python3', ['-m', 'venv', venv]);
  await must(join(venv, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', SCHEMATHESIS]);
  return join(venv, 'bin', 'schemathesis');
}

async function getToken(url, { clientId, clientSecret }) {
  const response = await fetch(`${url}/api/v1/authorize`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  });
  const { access_token: token } = /** @type {{ access_token: string }} */ (await response.json());
  return token;
}

async function fuzz({ folder, schemathesis, url, client }) {
  const config = join(folder, 'schemathesis.toml');
  await writeFile(config, CONFIG);
  const token = await getToken(url, client);
  console.log(`Fuzzing ${url} with seed ${seed}`);
  const args = ['--config-file', config, 'run', `${url}/openapi.json`, '--seed', seed];
  args.push('--checks', 'all', '--exclude-checks', EXCLUDED_CHECKS, '--continue-on-failure');
  args.push('--max-examples', String(MAX_EXAMPLES), '--max-time', String(MAX_SECONDS));
  args.push('--generation-database', 'none', '--no-color');
  return run(schemathesis, args, {
    cwd: folder,
    env: {
      ...process.env,
      PAYSESSION_FUZZ_TOKEN: token,
      PAYSESSION_FUZZ_CLIENT: client.clientId,
      PAYSESSION_FUZZ_SECRET: client.clientSecret,
    },
  });
}

async function main() {
  await must('npm', ['run', '--silent', 'build'], { cwd: root });
  const { createSandbox, DEFAULT_CLIENT } = createRequire(import.meta.url)('../dist/sandbox/index.js');
  const folder = await mkdtemp(join(tmpdir(), 'paysession-fuzz-'));
  // The client accepts amounts of any size, so that most requests that match the schema open a session.
  const client = { ...DEFAULT_CLIENT, minimumAmount: 0.01, maximumAmount: Number.MAX_VALUE };
  const sandbox = createSandbox({ clients: [client] });
  try {
    const schemathesis = await installSchemathesis(folder);
    const { url } = await sandbox.listen();
    return await fuzz({ folder, schemathesis, url, client });
  } finally {
    await sandbox.close();
    await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
