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

/** Creates the gate for an access. Throws `MissingPackagesError` without the packages that an OpenID Connect login needs. */
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

/** Headers with which proxies name themselves or a request's sender. Browsers do not send them. */
const OF_PROXIES = [
  /^(x-)?forwarded(-|$)/,
  /^x-(original|envoy|amzn|azure|proxy)-/,
  /(client|real|remote|proxyuser|connecting)-(ip|ipv6|addr)$/,
  /^(via|cf-ray|cdn-loop|x-arr-log-id|x-cloud-trace-context)$/,
];

/** Returns true if a request came through a detectable proxy: by its headers, or by HTTP/1.0, which browsers do not use. */
const isThroughProxy = ({ headers, raw }: FastifyRequest): boolean =>
  raw.httpVersion === '1.0' ||
  Object.keys(headers).some((name) => OF_PROXIES.some((pattern) => pattern.test(name)));

/**
 * Admits everyone on this machine. Refuses requests through a detectable proxy: they may come from anyone, but would have the same name.
 */
function localGate({ operator }: LocalAccess): Gate {
  const visitor = { operator, loginId: 'local' };
  return {
    visitorOf: async (request) => {
      if (isThroughProxy(request)) throw new Refusal('throughProxy');
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

/** Returns a header's value; `undefined` if it is missing, empty or duplicate: a browser may have sent one of the duplicates. */
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
