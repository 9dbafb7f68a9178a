import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { SandboxClient } from '../clients/clients';
import { HttpProblem } from '../../web/problems';
import type { TokenStore } from '../clients/tokens';

/** The client that a request's Basic credentials name (contract A5); throws the 401. */
export function basicClient(request: FastifyRequest, clients: readonly SandboxClient[]): SandboxClient {
  const credentials = readBasic(request.headers.authorization);
  // Every client is compared, so that the time taken does not tell which ids exist.
  const matching = clients.filter((client) =>
    isSame(`${client.clientId}:${client.clientSecret}`, credentials),
  );
  const [client] = matching;
  if (client === undefined) {
    throw unauthorized(
      'The client id and secret are missing or wrong.',
      'Basic realm="paysession", charset="UTF-8"',
    );
  }
  return client;
}

/** The client that a request's Bearer token belongs to (contract A4); throws the 401. */
export function bearerClient(
  request: FastifyRequest,
  clients: readonly SandboxClient[],
  tokens: TokenStore,
): SandboxClient {
  const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(request.headers.authorization ?? '')?.[1];
  const clientId = token === undefined ? undefined : tokens.clientIdOf(token);
  const client = clients.find((candidate) => candidate.clientId === clientId);
  if (client === undefined) {
    throw unauthorized('The Bearer token is missing, invalid or expired.', 'Bearer realm="paysession"');
  }
  return client;
}

function unauthorized(detail: string, challenge: string): HttpProblem {
  return new HttpProblem(401, detail, { headers: { 'www-authenticate': challenge } });
}

function readBasic(header = ''): string {
  const encoded = /^Basic +([\w+/-]+=*)$/i.exec(header)?.[1] ?? '';
  return Buffer.from(encoded, 'base64').toString('utf8');
}

/** In constant time: hashing makes both sides as long as each other. */
function isSame(expected: string, given: string): boolean {
  return timingSafeEqual(sha256(expected), sha256(given));
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
