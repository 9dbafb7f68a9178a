import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { composeSchema, type Compose, type ComposeService } from './compose-schema';

export const PROJECT = join(__dirname, '..', '..', '..');

/** The services of our own image. */
export const OWN_IMAGE = 'paysession';

export function loadCompose(): Compose {
  return composeSchema.parse(parse(readProjectFile('docker-compose.yml'), { merge: true }));
}

export function readProjectFile(name: string): string {
  return readFileSync(join(PROJECT, name), 'utf8');
}

/** A `${NAME:-default}` in a value. */
const VARIABLE = /\$\{([A-Z_]+):-([^}]*)\}/g;

/** A value as Compose hands it on when no variable is set. */
export function withDefaults(value: string): string {
  return value.replace(VARIABLE, '$2');
}

/** The variables that a value takes from whoever runs Compose. */
export function variablesIn(value: string): string[] {
  return Array.from(value.matchAll(VARIABLE), ([, name = '']) => name);
}

/** The ports that a service's containers listen on, for other services. */
export function listeningPorts({ ports, expose }: ComposeService): string[] {
  return [...ports.map((published) => published.split(':').at(-1) ?? ''), ...expose];
}
