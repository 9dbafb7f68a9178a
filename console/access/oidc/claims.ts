import { isRecord } from '../../../src/contract/values/is-record';
import type { Operator, OidcAccess } from '../access';
import { operatorOf } from '../operator';
import type { Claims } from './provider';

const NAME_CLAIMS = ['preferred_username', 'email', 'sub'];

/** Who the claims are about; `undefined` for somebody without a role here. */
export function operatorOfClaims(
  claims: Claims,
  { nameClaim, roleClaim, roleNames }: Pick<OidcAccess, 'nameClaim' | 'roleClaim' | 'roleNames'>,
): Operator | undefined {
  const names = (nameClaim === undefined ? NAME_CLAIMS : [nameClaim]).map((claim) => valueAt(claims, claim));
  const name = names.find((value): value is string => typeof value === 'string' && value !== '');
  return operatorOf(name, listed(valueAt(claims, roleClaim)), roleNames);
}

/** By its whole name first: some providers name claims by URLs, which have dots, too. */
function valueAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      claims,
    );
}

function listed(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.split(/[\s,]+/);
  return Array.isArray(value) ? value.filter((role): role is string => typeof role === 'string') : [];
}
