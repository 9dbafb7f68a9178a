// Writes docs/reference from the built code, and the addresses in other files that are derived from the repository's
// address. With --check, fails if one of these files is out of date. With --publish, fails if the repository has no
// address yet.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'oxfmt';
import { addressedFiles, hasPlaceholder } from './reference/addresses.mjs';
import { commandLinePage } from './reference/command-line.mjs';
import {
  errorsPage,
  exitCodesPage,
  policyPage,
  problemsPage,
  returnsPage,
  settingsPage,
} from './reference/tables.mjs';
import { metricsPage } from './reference/metrics.mjs';
import { requestPage } from './reference/request.mjs';
import { sessionPage } from './reference/session.mjs';

const PAGES = {
  'command-line.md': commandLinePage,
  'errors.md': errorsPage,
  'exit-codes.md': exitCodesPage,
  'metrics.md': metricsPage,
  'policy.md': policyPage,
  'problems.md': problemsPage,
  'request.md': requestPage,
  'returns.md': returnsPage,
  'session.md': sessionPage,
  'settings.md': settingsPage,
};

const root = fileURLToPath(new URL('../', import.meta.url));
const folder = `${root}docs/reference/`;
const check = process.argv.includes('--check');
const drifted = readdirSync(folder).filter((name) => !Object.hasOwn(PAGES, name));

for (const [name, page] of Object.entries(PAGES)) {
  const path = folder + name;
  write(path, (await format(name, page)).code);
}
for (const [name, text] of Object.entries(addressedFiles(root))) write(root + name, text);

if (drifted.length > 0) {
  console.error(`Not what the code or package.json says: ${drifted.join(', ')}. Run: npm run docs:reference`);
  process.exitCode = 1;
}
if (process.argv.includes('--publish') && hasPlaceholder(root)) {
  console.error(
    'package.json has no address yet: write it as repository.url, and run: npm run docs:reference',
  );
  process.exitCode = 1;
}

function write(path, text) {
  if (!check) writeFileSync(path, text);
  else if (!existsSync(path) || readFileSync(path, 'utf8') !== text) drifted.push(relative(root, path));
}
