// Writes docs/reference from the built code; with --check, fails where a page is not what the code says.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { commandLinePage } from './reference/command-line.mjs';
import { errorsPage, exitCodesPage } from './reference/errors.mjs';
import { metricsPage } from './reference/metrics.mjs';
import { policyPage } from './reference/policy.mjs';
import { problemsPage } from './reference/problems.mjs';
import { requestPage } from './reference/request.mjs';
import { sessionPage } from './reference/session.mjs';
import { settingsPage } from './reference/settings.mjs';

const PAGES = {
  'command-line.md': commandLinePage,
  'errors.md': errorsPage,
  'exit-codes.md': exitCodesPage,
  'metrics.md': metricsPage,
  'policy.md': policyPage,
  'problems.md': problemsPage,
  'request.md': requestPage,
  'session.md': sessionPage,
  'settings.md': settingsPage,
};

const folder = fileURLToPath(new URL('../docs/reference/', import.meta.url));
const check = process.argv.includes('--check');
const drifted = readdirSync(folder).filter((name) => !Object.hasOwn(PAGES, name));

for (const [name, page] of Object.entries(PAGES)) {
  const path = folder + name;
  const text = await format(page, { ...(await resolveConfig(path)), parser: 'markdown' });
  if (!check) writeFileSync(path, text);
  else if (!isWritten(path, text)) drifted.push(name);
}

if (drifted.length > 0) {
  console.error(
    `docs/reference is not what the code says: ${drifted.join(', ')}. Run: npm run docs:reference`,
  );
  process.exitCode = 1;
}

function isWritten(path, text) {
  try {
    return readFileSync(path, 'utf8') === text;
  } catch {
    return false;
  }
}
