import { readFileSync } from 'node:fs';

/** The repository's host before the first publication: a name that cannot be registered. */
const PLACEHOLDER = /^git\.example$/;

/**
 * Returns the files that lead to the repository, with the addresses that `repository.url` of package.json gives. It is the only place where
 * the address is written by hand.
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
