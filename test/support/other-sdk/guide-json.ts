import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const guide = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'guides', 'other-languages.md'), 'utf8');

/**
 * Returns the JSON that follows a bold label of the guide to other languages, with the guide's key replaced by the
 * given one.
 */
export function guideJson(label: string, key: string): string {
  const [, after] = guide.split(`**${label}**`);
  const json = /```json\n([^]*?)```/.exec(after ?? '')?.[1];
  if (json === undefined) throw new Error(`the guide has no JSON after **${label}**`);
  return json.replaceAll('order-1042', key);
}

/** Replaces the values that differ between two equal sessions by the name of their kind. */
export function masked(json: string): unknown {
  return JSON.parse(json, (name, value: unknown) =>
    name === 'revision' || name === 'id'
      ? `<${name}>`
      : typeof value === 'string'
        ? value
            .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
            .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
            .replaceAll(/https?:\/\/[^/]+/g, '<origin>')
        : value,
  );
}
