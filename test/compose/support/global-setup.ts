import { OWN_IMAGE } from '../../support/compose/load-compose';
import { run } from './docker';

/**
 * Pulls missing images. If the container engine, Compose or an image is still missing, prints one line that names what is missing, and ends
 * the run.
 */
export default async function globalSetup(): Promise<void> {
  const missing = await whatIsMissing();
  if (missing === undefined) return;
  process.stderr.write(`test:compose needs ${missing}\n`);
  process.exit(1);
}

async function whatIsMissing(): Promise<string | undefined> {
  if (!(await succeeds('version'))) return 'a container engine that answers: install Docker, or start it';
  if (!(await succeeds('compose', 'version')))
    return 'Docker Compose: install its plugin, docker-compose-plugin';
  const { code, stdout, stderr } = await run('docker', ['compose', '--profile', '*', 'config', '--images']);
  if (code !== 0) return `a Compose that reads docker-compose.yml: ${stderr.trim()}`;
  const images = new Set(stdout.trim().split('\n'));
  for (const image of images) {
    if (image === OWN_IMAGE || image.startsWith('grafana/') || image.startsWith('prom/')) continue;
    if (!(await succeeds('image', 'inspect', image)) && !(await succeeds('pull', '--quiet', image)))
      return `the image ${image}, which is not here and cannot be pulled`;
  }
  return undefined;
}

/** True if this call of `docker` succeeds. */
async function succeeds(...args: readonly string[]): Promise<boolean> {
  const done = await run('docker', args).catch(() => undefined);
  return done?.code === 0;
}
