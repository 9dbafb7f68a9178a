import { readFileSync, statSync } from 'node:fs';
import { decodeUtf8, NotUtf8Error } from '../../contract/values/outside-text';
import {
  parseSettings,
  readVariable,
  type Environment,
  type Parsed,
  type SettingValues,
} from '../parse-settings';
import type { SettingName } from '../settings-table';

const MAX_FILE_BYTES = 64 * 1024;

/**
 * Reads a secret from its variable, or from the file that another one names. Both together are refused: nobody could tell
 * which of them counts. Messages name the file, never what is in it. Either is read as `readVariable` reads it.
 */
export function parseSecret<Name extends SettingName>(
  env: Environment,
  name: Name,
  fileName: SettingName & `${Name}_FILE`,
): Parsed<SettingValues<Name>[Name] | undefined> {
  const path = readVariable(env, fileName);
  if (path === undefined) {
    const { value, failures } = parseSettings(env, [name]);
    return { value: value[name], failures };
  }
  const refuse = (message: string) => ({ value: undefined, failures: [{ path: fileName, message }] });
  if (readVariable(env, name) !== undefined) return refuse(`cannot be set together with ${name}`);
  const { text, fault } = readSmallFile(path);
  if (text === undefined) return refuse(`names a file that ${fault}: ${path}`);
  if (text.trim() === '') return refuse(`names an empty file: ${path}`);
  const { value, failures } = parseSettings({ [name]: text }, [name]);
  return {
    value: value[name],
    failures: failures.map(({ message }) => ({ path: fileName, message: `names ${path}, which ${message}` })),
  };
}

/** The text of a file, or why it has none. */
function readSmallFile(path: string): { readonly text?: string; readonly fault?: string } {
  try {
    if (statSync(path).size <= MAX_FILE_BYTES) return { text: decodeUtf8(readFileSync(path)) };
    return { fault: 'is too large for a secret' };
  } catch (error) {
    return { fault: error instanceof NotUtf8Error ? error.message : 'cannot be read' };
  }
}
