import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { checkPorts } from '../../../cli/commands/dev/dev-ports';
import { exportLine } from '../../../cli/commands/dev/dev-log';
import { readTemporalSettings, type Environment } from '../../../src/settings';

const servers: Server[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => once(server.close(), 'close')));
});

async function takenPort(): Promise<number> {
  const server = createServer();
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

const wanted = (name: string, port: number, isChosen = false) => ({
  name,
  flag: `--${name}-port`,
  port,
  isChosen,
});

test('dev names all taken ports and their flags in one error', async () => {
  const [ui, shop] = [await takenPort(), await takenPort()];
  const ports = [wanted('temporal', 0), wanted('ui', ui), wanted('shop', shop, true)];
  await expect(checkPorts(ports, { takesFree: false })).rejects.toMatchObject({
    code: 'PORT_IN_USE',
    message:
      `Ports ${ui} (--ui-port), ${shop} (--shop-port) are in use by other programs. ` +
      'Choose others with their flags, or let --free-ports replace the defaults that are taken.',
  });
});

test('dev’s error about a single taken port is in the singular', async () => {
  const ui = await takenPort();
  await expect(checkPorts([wanted('ui', ui)], { takesFree: false })).rejects.toMatchObject({
    message: expect.stringMatching(
      `^Port ${ui} \\(--ui-port\\) is in use by another program[.] Choose another`,
    ),
  });
});

test('--free-ports replaces only the default ports that are taken', async () => {
  const ui = await takenPort();
  const free = await takenPort();
  await once(servers.pop()?.close() ?? createServer(), 'close');
  const ports = [wanted('ui', ui), wanted('shop', free)];
  expect(await checkPorts(ports, { takesFree: true })).toEqual({ ui: 0, shop: free });
});

test('--free-ports refuses a taken port that the user has chosen', async () => {
  const ui = await takenPort();
  await expect(checkPorts([wanted('ui', ui, true)], { takesFree: true })).rejects.toMatchObject({
    code: 'PORT_IN_USE',
  });
});

test('dev refuses a port that two flags name, and names both flags', async () => {
  const port = await takenPort();
  await once(servers.pop()?.close() ?? createServer(), 'close');
  const ports = [wanted('ui', port), wanted('shop', port)];
  await expect(checkPorts(ports, { takesFree: false })).rejects.toThrow(
    `--ui-port and --shop-port name the same port, ${port}`,
  );
  expect(await checkPorts(ports, { takesFree: true })).toEqual({ ui: port, shop: 0 });
});

test('if two flags name one port, and another program uses the port, dev reports the other program', async () => {
  const port = await takenPort();
  const ports = [wanted('ui', port), wanted('shop', port)];
  await expect(checkPorts(ports, { takesFree: false })).rejects.toMatchObject({
    message: expect.stringContaining(`${port} (--ui-port), ${port} (--shop-port) are in use`),
  });
});

/** Returns the line that `dev` at this address prints for a terminal with these settings. */
const lineFor = (address: string, env: Environment, platform: NodeJS.Platform = 'linux') =>
  exportLine(
    { address, namespace: 'default' },
    readTemporalSettings({ HOME: __dirname, XDG_CONFIG_HOME: __dirname, ...env }),
    platform,
  );

const CLOUD = 'payments.a1b2c.tmprl.cloud:7233';
const HERE = '127.0.0.1:7233';

test.each([
  { address: HERE, env: {}, line: undefined },
  { address: HERE, env: { TEMPORAL_ADDRESS: 'localhost:7233' }, line: undefined },
  { address: '127.0.0.1:7300', env: {}, line: 'export TEMPORAL_ADDRESS=127.0.0.1:7300' },
  { address: '127.0.0.1:7300', env: { TEMPORAL_ADDRESS: '127.0.0.1:7300' }, line: undefined },
  { address: HERE, env: { TEMPORAL_ADDRESS: CLOUD }, line: `export TEMPORAL_ADDRESS=${HERE}` },
  { address: HERE, env: { TEMPORAL_NAMESPACE: 'payments' }, line: 'export TEMPORAL_NAMESPACE=default' },
  { address: HERE, env: { TEMPORAL_API_KEY: 'key' }, line: 'export TEMPORAL_TLS=false' },
  {
    address: HERE,
    env: { PAYSESSION_TASK_QUEUE: 'mine' },
    line: 'export PAYSESSION_TASK_QUEUE=payment-sessions',
  },
])(
  'dev at $address, with $env set, prints this line for other terminals: $line',
  ({ address, env, line }) => {
    expect(lineFor(address, env)).toBe(line);
  },
);

test('the line that dev prints for other terminals overrides the profile of Temporal’s configuration file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'paysession-dev-'));
  try {
    const file = join(folder, 'temporal.toml');
    writeFileSync(
      file,
      `[profile.cloud]\naddress = "${CLOUD}"\nnamespace = "payments.a1b2c"\napi_key = "key"\n`,
    );
    const env = { TEMPORAL_CONFIG_FILE: file, TEMPORAL_PROFILE: 'cloud' };
    const set = { TEMPORAL_ADDRESS: HERE, TEMPORAL_NAMESPACE: 'default', TEMPORAL_TLS: 'false' };
    const names = Object.entries(set).map(([name, value]) => `${name}=${value}`);
    expect(lineFor(HERE, env)).toBe(`export ${names.join(' ')}`);
    expect(lineFor(HERE, { ...env, ...set })).toBeUndefined();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('on Windows, dev prints the line for other terminals in PowerShell’s syntax', () => {
  expect(lineFor('127.0.0.1:7300', { TEMPORAL_NAMESPACE: 'payments' }, 'win32')).toBe(
    "$env:TEMPORAL_ADDRESS = '127.0.0.1:7300'; $env:TEMPORAL_NAMESPACE = 'default'",
  );
});
