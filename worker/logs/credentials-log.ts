import type { ErrorCode } from '../../src/errors';
import type { ServiceObserver } from '../../src/service';

const CODE: ErrorCode = 'SERVICE_CREDENTIALS_REJECTED';

type Warn = (message: string, fields: { readonly account: string; readonly code?: ErrorCode }) => void;

/** Says once that the service refuses an account's credentials, and once that it accepts them again. */
export function credentialsLog(warn: Warn): ServiceObserver {
  const refused = new Set<string>();
  return {
    credentialsRefused: ({ account }) => {
      if (refused.has(account)) return;
      refused.add(account);
      warn(
        'the payment service refuses the account’s client id and secret: this worker sends no create request for it until they are accepted',
        { account, code: CODE },
      );
    },
    tokenRenewed: ({ account }) => {
      if (refused.delete(account))
        warn('the payment service accepts the account’s client id and secret', { account });
    },
  };
}
