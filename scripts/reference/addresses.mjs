import { readFileSync } from 'node:fs';

/** The repository's host name before the first publication. This name cannot be registered. */
const PLACEHOLDER = /^git\.example$/;

/**
 * Returns the contents of the files that contain the repository's address. The address is written by hand only in `repository.url` of
 * package.json, and these files get it from there.
 */
export function addressedFiles(root) {
  const manifest = readFileSync(`${root}package.json`, 'utf8');
  const web = webAddress(manifest);
  const alerts = readFileSync(`${root}deploy/prometheus/alerts.yml`, 'utf8');
  return {
    'package.json': manifest
      .replace(/(?<="homepage": ")[^"]*/, `${web}#readme`)
      .replace(/(?<="bugs": \{\s*"url": ")[^"]*/, `${web}/issues`),
    'deploy/prometheus/alerts.yml': alerts.replace(
      /(?<=runbook_url: )\S*(?=docs\/guides\/)/g,
      `${web}/blob/main/`,
    ),
  };
}

/** True if the repository has no address yet. */
export const hasPlaceholder = (root) =>
  PLACEHOLDER.test(new URL(webAddress(readFileSync(`${root}package.json`, 'utf8'))).hostname);

const webAddress = (manifest) =>
  JSON.parse(manifest)
    .repository.url.replace(/^git\+/, '')
    .replace(/\.git$/, '');
