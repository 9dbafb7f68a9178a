import type { FastifyRequest } from 'fastify';
import { Refusal } from '../server/refusal';
import type { ProxyAccess } from './access';
import { among } from './addresses';
import type { Gate } from './gate';
import { operatorOf } from './operator';

/** Believes what a proxy says of its users, and nobody else. */
export function proxyGate({ proxies, userHeader, roleHeader, roleNames }: ProxyAccess): Gate {
  const isProxy = among(proxies);
  return {
    visitorOf: async (request) => {
      if (!isProxy(request.ip)) throw new Refusal('notThroughProxy');
      const name = onlyValue(request, userHeader);
      if (name === undefined) throw new Refusal('noUser');
      const roles = (onlyValue(request, roleHeader) ?? '').split(',').map((role) => role.trim());
      const operator = operatorOf(name, roles, roleNames);
      if (operator === undefined) throw new Refusal('noRole');
      return Promise.resolve({ operator, loginId: `proxy ${operator.name}` });
    },
  };
}

/** A header that is there twice was written by two: perhaps one of them is not the proxy. */
function onlyValue({ raw }: FastifyRequest, name: string): string | undefined {
  const values = raw.headersDistinct[name.toLowerCase()];
  const [value = ''] = values ?? [];
  if (values?.length !== 1 || value.trim() === '') return undefined;
  // Node reads bytes of headers as Latin-1, while proxies write names in UTF-8.
  return Buffer.from(value, 'latin1').toString('utf8').trim();
}
