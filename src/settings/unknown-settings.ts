import type { ValidationFailure } from '../contract';
import type { Environment } from './parse-settings';
import { SETTINGS } from './settings-table';
import { nearest } from '../contract/values/text';

const PREFIX = 'PAYSESSION_';
const ENDINGS = SETTINGS.flatMap(({ name }) => (name.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : []));

/** Whose variables are read: a worker's are its own, while a client's are those of the program that it is part of. */
export type Reader = 'worker' | 'client';

/**
 * A failure for each variable with our prefix that is no setting, with the setting that it resembles: a misspelt one would
 * leave a worker without its encryption, and nobody would notice. A client refuses only what resembles a setting.
 */
export function unknownSettings(env: Environment, reader: Reader): ValidationFailure[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (!name.startsWith(PREFIX) || value === undefined || value === '') return [];
    const ending = name.slice(PREFIX.length);
    if (ENDINGS.includes(ending) || isServiceLink(ending, value)) return [];
    const meant = nearest(ending, ENDINGS);
    if (meant !== undefined)
      return [{ path: name, message: `is not a setting; did you mean ${PREFIX}${meant}?` }];
    return reader === 'client' ? [] : [{ path: name, message: UNKNOWN }];
  });
}

const UNKNOWN = 'is not a setting: remove it, or look it up in docs/reference/settings.md';

const LINK_NAME = /_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const LINK_VALUE = /^(tcp|udp|sctp):\/\//;

/** Kubernetes gives every container such variables for each Service, named after it: one may be called `paysession`. */
function isServiceLink(ending: string, value: string): boolean {
  return LINK_NAME.test(`_${ending}`) || (/(^|_)PORT$/.test(ending) && LINK_VALUE.test(value));
}
