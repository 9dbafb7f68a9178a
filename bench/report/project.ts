import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The project's folder. Found from this file's folder, which may be in the sources or in the build. */
export const PROJECT = projectOf(__dirname);

function projectOf(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : projectOf(dirname(folder));
}
