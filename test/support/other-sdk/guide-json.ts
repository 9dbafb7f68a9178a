import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const guide = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'guides', 'other-languages.md'), 'utf8');

/**
 * Returns the JSON after a bold label of docs/guides/other-languages.md, with `key` in place of the guide's key.
 */
export function guideJson(label: string, key: string): string {
  const [, after] = guide.split(`**${label}**`);
  const json = /```json\n([^]*?)```/.exec(after ?? '')?.[1];
  if (json === undefined) throw new Error(`the guide has no JSON after **${label}**`);
  return json.replaceAll('order-1042', key);
}

/** Reads JSON, and replaces the values that differ between two sessions of the same kind, such as ids, with placeholders. */
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
