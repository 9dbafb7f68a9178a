import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The project's folder, found from the sources and from the build. */
export const PROJECT = projectOf(__dirname);

function projectOf(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : projectOf(dirname(folder));
}
