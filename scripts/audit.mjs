// Asks the npm registry for known vulnerabilities of the package's dependencies and peers, like `npm audit`. Many mirrors of the registry
// do not answer this question. In that case, the script says so and does not fail. Run it again where the registry answers.
import { spawnSync } from 'node:child_process';

const { stdout, error } = spawnSync('npm', ['audit', '--omit', 'dev', '--json'], {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  shell: process.platform === 'win32',
});
const report = parsed(stdout ?? '');

if (error !== undefined || report?.vulnerabilities === undefined) {
  const why = error?.message ?? report?.message ?? report?.error?.summary ?? 'no answer';
  console.log(`Not audited: the registry does not answer (${why}). Run it again where the registry does.`);
} else {
  const found = Object.values(report.vulnerabilities);
  for (const { name, severity, range } of found) console.error(`${severity}: ${name} ${range}`);
  if (found.length > 0) process.exitCode = 1;
  else console.log('The registry knows no vulnerability of the dependencies.');
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
