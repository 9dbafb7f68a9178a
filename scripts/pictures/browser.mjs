/** What the scripts that take pictures of pages share: a browser, an empty folder, and files that are small. */
import { accessSync, constants } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { withPalette } from './palette-png.mjs';

const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];

/** Chromium or Chrome, from PATH. */
export const startBrowser = () => chromium.launch({ executablePath: findChromium(), args: ARGUMENTS });

/** A folder of the documents, without the pictures of earlier runs. */
export async function emptyFolder(name) {
  const folder = fileURLToPath(new URL(`../../docs/${name}/`, import.meta.url));
  await mkdir(folder, { recursive: true });
  for (const file of await readdir(folder)) await rm(join(folder, file));
  return folder;
}

/** Takes a picture of a whole page, or with `fullPage: false` of what a reader sees of it at first. */
export async function shoot(page, folder, name, { fullPage = true } = {}) {
  const picture = await page.screenshot({ fullPage, animations: 'disabled' });
  await writeFile(join(folder, `${name}.png`), withPalette(picture));
}

function findChromium() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const paths = names.flatMap((name) =>
    (process.env.PATH ?? '').split(delimiter).map((at) => join(at, name)),
  );
  const found = paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error(`None of ${names.join(', ')} is on PATH.`);
  return found;
}
