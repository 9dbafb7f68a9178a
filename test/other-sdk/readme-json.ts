import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const readme = readFileSync(join(__dirname, '..', '..', 'README.md'), 'utf8');

/** The README's section for other languages. */
const section = /\n### From another language\n([^]*?)\n###? /.exec(readme)?.[1] ?? '';

/** The JSON that follows a bold label of the section, with the README's key replaced by the given one. */
export function readmeJson(label: string, key: string): string {
  const [, after] = section.split(`**${label}**`);
  const json = /```json\n([^]*?)```/.exec(after ?? '')?.[1];
  if (json === undefined) throw new Error(`the README has no JSON after **${label}**`);
  return json.replaceAll('order-1042', key);
}

/** What differs between two sessions that went alike, replaced by a name of its kind. */
export function masked(json: string): unknown {
  return JSON.parse(json, (_name, value: unknown) =>
    typeof value === 'string'
      ? value
          .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
          .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
          .replaceAll(/https?:\/\/[^/]+/g, '<origin>')
      : value,
  );
}
