import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { checkPorts } from '../../../cli/commands/dev/dev-ports';
import { exportLine } from '../../../cli/commands/dev/dev-log';

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

test('dev names every taken port with its flag at once', async () => {
  const [ui, shop] = [await takenPort(), await takenPort()];
  const ports = [wanted('temporal', 0), wanted('ui', ui), wanted('shop', shop, true)];
  await expect(checkPorts(ports, { takesFree: false })).rejects.toMatchObject({
    code: 'PORT_IN_USE',
    message:
      `Ports ${ui} (--ui-port), ${shop} (--shop-port) are in use by other programs. ` +
      'Choose others with their flags, or let --free-ports replace the defaults that are taken.',
  });
});

test('dev names one taken port in the singular', async () => {
  const ui = await takenPort();
  await expect(checkPorts([wanted('ui', ui)], { takesFree: false })).rejects.toMatchObject({
    message: expect.stringMatching(
      `^Port ${ui} \\(--ui-port\\) is in use by another program[.] Choose another`,
    ),
  });
});

test('--free-ports replaces the defaults that are taken, and no other port', async () => {
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

test('dev says that another program uses a port that two flags name', async () => {
  const port = await takenPort();
  const ports = [wanted('ui', port), wanted('shop', port)];
  await expect(checkPorts(ports, { takesFree: false })).rejects.toMatchObject({
    message: expect.stringContaining(`${port} (--ui-port), ${port} (--shop-port) are in use`),
  });
});

test.each([
  { address: '127.0.0.1:7233', set: undefined, line: undefined },
  { address: '127.0.0.1:7233', set: 'localhost:7233', line: undefined },
  { address: '127.0.0.1:7300', set: undefined, line: 'export TEMPORAL_ADDRESS=127.0.0.1:7300' },
  { address: '127.0.0.1:7300', set: '127.0.0.1:7300', line: undefined },
  { address: '127.0.0.1:7233', set: 'temporal.example:7233', line: 'export TEMPORAL_ADDRESS=127.0.0.1:7233' },
])('dev at $address, with TEMPORAL_ADDRESS $set, has programs export $line', ({ address, set, line }) => {
  expect(exportLine(address, set, 'linux')).toBe(line);
});

test('dev prints the line for PowerShell on Windows', () => {
  expect(exportLine('127.0.0.1:7300', undefined, 'win32')).toBe("$env:TEMPORAL_ADDRESS = '127.0.0.1:7300'");
});
