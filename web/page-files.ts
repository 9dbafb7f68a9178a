import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of files of a folder, one after the other. They are read while the process starts, which a missing one ends. */
export const readFiles = (folder: string, ...names: readonly string[]): string =>
  names.map((name) => readFileSync(join(folder, name), 'utf8')).join('');

/** What browsers get as it is written: the build copies it to where this file is. */
const ASSETS = join(__dirname, 'assets');

/** The colours of all pages, also of those of the hosted flow. */
export const COLOURS = readFiles(ASSETS, 'colours.css');

/** The style of the console and of the sandbox’s own pages. Pages have no style of their own. */
export const STYLE = readFiles(ASSETS, 'colours.css', 'page.css', 'parts.css', 'controls.css', 'narrow.css');

/** The script of the console's pages: `page.js` tells the others what to dress. */
export const SCRIPT = readFiles(ASSETS, 'copy.js', 'keys.js', 'page.js');
