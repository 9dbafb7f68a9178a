import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { composeSchema, type Compose, type ComposeService } from './compose-schema';

export const PROJECT = join(__dirname, '..', '..', '..');

/** The name of our own image. */
export const OWN_IMAGE = 'paysession';

export function loadCompose(): Compose {
  return composeSchema.parse(parse(readProjectFile('docker-compose.yml'), { merge: true }));
}

export function readProjectFile(name: string): string {
  return readFileSync(join(PROJECT, name), 'utf8');
}

/** Matches `${NAME:-default}`, and `${NAME:?message}`, which is a required variable. Without it, Compose starts nothing. */
const VARIABLE = /\$\{([A-Z_]+):([-?])([^}]*)\}/g;

/** The value that tests use for each required variable. */
export const REQUIRED_VALUE = 'a-password-of-the-tests';

/** Returns a value as Compose would pass it to a container if only the required variables were set. */
export function withDefaults(value: string): string {
  return value.replace(VARIABLE, (_whole, _name, kind: string, text: string) =>
    kind === '?' ? REQUIRED_VALUE : text,
  );
}

/** Returns the names of the required variables in a value. */
export function requiredIn(value: string): string[] {
  const all = Array.from(value.matchAll(VARIABLE));
  return all.flatMap(([, name = '', kind]) => (kind === '?' ? [name] : []));
}

/** Returns the names of all variables in a value. */
export function variablesIn(value: string): string[] {
  return Array.from(value.matchAll(VARIABLE), ([, name = '']) => name);
}

/** Returns the ports on which a service's containers listen for other services. */
export function listeningPorts({ ports, expose }: ComposeService): string[] {
  return [...ports.map((published) => published.split(':').at(-1) ?? ''), ...expose];
}
