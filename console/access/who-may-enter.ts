import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { decodeUtf8 } from '../../src/contract/values/outside-text';
import { Refusal } from '../http/refusal';
import { type Access, type LocalAccess, type ProxyAccess, operatorOf } from './access';
import { oidcGate } from './oidc-gate';
import { among } from './addresses';
import { needOptionalPackages } from '../../src/files';
import { keyFor } from './logins';
import type { Gate, GateEvents } from './reader';

/**
 * Creates the gate, which decides who has access, for the configured kind of access. Throws `MissingPackagesError` if the packages for a
 * login by OpenID Connect are missing.
 */
export function gateOf(access: Access, events: GateEvents): Gate {
  switch (access.kind) {
    case 'local':
      return localGate(access);
    case 'proxy':
      return proxyGate(access);
    case 'oidc':
      needOptionalPackages('Login with OpenID Connect', ['jose', 'openid-client']);
      return oidcGate(access, events);
  }
}

/** Returns the key that signs forms. With local access, each process has its own key. */
export const formKeyOf = (access: Access): Uint8Array =>
  keyFor('forms', access.kind === 'local' ? randomBytes(32).toString('base64url') : access.secret);

/** Headers in which proxies write their own name or the address of the sender. Browsers do not send these headers. */
const PROXY_HEADERS = [
  /^(x-)?forwarded(-|$)/,
  /^x-(original|envoy|amzn|azure|proxy)-/,
  /(client|real|remote|proxyuser|connecting)-(ip|ipv6|addr)$/,
  /^(via|cf-ray|cdn-loop|x-arr-log-id|x-cloud-trace-context)$/,
];

/** True if the request shows that it came through a proxy: by such headers, or by HTTP/1.0, which browsers do not use. */
const cameThroughProxy = ({ headers, raw }: FastifyRequest): boolean =>
  raw.httpVersion === '1.0' ||
  Object.keys(headers).some((name) => PROXY_HEADERS.some((pattern) => pattern.test(name)));

/**
 * Admits every user of this machine. Refuses a request that came through a proxy, because it may come from anyone and would get the local
 * user's name.
 */
function localGate({ operator }: LocalAccess): Gate {
  const visitor = { operator, loginId: 'local' };
  return {
    visitorOf: async (request) => {
      if (cameThroughProxy(request)) throw new Refusal('throughProxy');
      return Promise.resolve(visitor);
    },
  };
}

/** Trusts the names and roles that a known proxy sends. Refuses any other sender. */
function proxyGate({ proxies, userHeader, roleHeader, roleNames }: ProxyAccess): Gate {
  const isProxy = among(proxies);
  return {
    visitorOf: async (request) => {
      if (!isProxy(request.ip)) throw new Refusal('notThroughProxy');
      const name = onlyValue(request, userHeader);
      if (name === undefined) throw new Refusal('noUser');
      const roles = (onlyValue(request, roleHeader) ?? '').split(',').map((role) => role.trim());
      const operator = operatorOf(name, roles, roleNames);
      if (typeof operator === 'string') throw new Refusal(operator === 'noName' ? 'noUser' : operator);
      return Promise.resolve({ operator, loginId: `proxy ${operator.name}` });
    },
  };
}

/**
 * Returns a header's value. Returns `undefined` if the header is missing or empty. Also returns `undefined` if the header occurs twice,
 * because the browser may have sent one of the two.
 */
function onlyValue({ raw }: FastifyRequest, name: string): string | undefined {
  const values = raw.rawHeaders.filter(
    (_text, index, texts) => index % 2 === 1 && texts[index - 1]?.toLowerCase() === name.toLowerCase(),
  );
  const [value = ''] = values;
  if (values.length !== 1 || value.trim() === '') return undefined;
  return headerText(value).trim();
}

/** Decodes a header. Node reads its bytes as Latin-1, while most proxies write names in UTF-8. */
function headerText(value: string): string {
  try {
    return decodeUtf8(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}
