import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The project's folder, from the sources as well as from what is built of them. */
export const PROJECT = projectOf(__dirname);

function projectOf(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : projectOf(dirname(folder));
}
