import { createServer, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listen } from './local-service';

const VARIABLES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY'];

/**
 * Returns two functions, and changes nothing itself. `clear` removes the proxy variables from the environment. `restore` sets them to
 * their values at the time of this call.
 */
export function withoutProxies() {
  const before = VARIABLES.map((name) => [name, process.env[name]] as const);
  const clear = (): void => {
    for (const name of VARIABLES) Reflect.deleteProperty(process.env, name);
  };
  return {
    clear,
    restore: () => {
      clear();
      for (const [name, value] of before) if (value !== undefined) process.env[name] = value;
    },
  };
}

/**
 * Starts an HTTP proxy that accepts only CONNECT requests, and answers other requests with the status 501. Each tunnel leads to
 * `targetPort` of this machine, whatever host was requested. With `refusesWith`, the proxy opens no tunnel, and answers with that status.
 * It records the requested hosts, in `asked`, and the requests' headers.
 */
export async function startProxy(
  targetPort: number,
  { refusesWith }: { readonly refusesWith?: number } = {},
) {
  const asked: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const server = createServer((_request, response) => response.writeHead(501).end());
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    asked.push(request.url ?? '');
    headers.push(request.headers);
    socket.on('error', () => undefined);
    if (refusesWith !== undefined) {
      socket.end(`HTTP/1.1 ${refusesWith} No\r\n\r\n`);
      return;
    }
    const onward = connect(targetPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket);
      socket.pipe(onward);
    });
    onward.on('error', () => socket.destroy());
  });
  return { url: await listen(server), asked, headers };
}
