import { Refusal } from '../server/refusal';
import type { LocalAccess } from './access';
import type { Gate } from './gate';

/** What proxies add to say whom a request comes from. */
const OF_PROXIES = /^(forwarded|x-forwarded-.*|x-real-ip)$/;

/** Lets in everybody who is on this machine. A proxy on it would let in everybody else, too, under the same name. */
export function localGate({ operator }: LocalAccess): Gate {
  const visitor = { operator, loginId: 'local' };
  return {
    visitorOf: async ({ headers }) => {
      if (Object.keys(headers).some((name) => OF_PROXIES.test(name))) throw new Refusal('throughProxy');
      return Promise.resolve(visitor);
    },
  };
}
