import type { Operator, Role } from './access';

const LONGEST_NAME = 200;

/** Somebody by what was said of them; `undefined` without a name or a role. */
export function operatorOf(
  name: string | undefined,
  roles: readonly string[],
  roleNames: Readonly<Record<Role, string>>,
): Operator | undefined {
  const role = roleOf(roles, roleNames);
  const plainName = plain(name ?? '');
  return role === undefined || plainName === '' ? undefined : { name: plainName, role };
}

/** An operator may all that a viewer may. */
function roleOf(roles: readonly string[], roleNames: Readonly<Record<Role, string>>): Role | undefined {
  if (roles.includes(roleNames.operator)) return 'operator';
  return roles.includes(roleNames.viewer) ? 'viewer' : undefined;
}

/** A name as it may stand in a log: nothing in it begins a line, or turns the direction of writing. */
const plain = (name: string): string =>
  [...name.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()].slice(0, LONGEST_NAME).join('');
