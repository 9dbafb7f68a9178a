import { readFileSync } from 'node:fs';

/**
 * @param {readonly string[]} packages
 * @returns {Record<string, string>} the installed version of each
 */
export const versionsOf = (packages) => Object.fromEntries(packages.map((name) => [name, versionOf(name)]));

/** @param {string} name */
function versionOf(name) {
  const file = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')).version;
}
