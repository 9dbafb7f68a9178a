import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';

export const KUBERNETES = join(__dirname, '..', '..', 'deploy', 'kubernetes');

/** A Kubernetes object in the manifests. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly [field: string]: unknown;
}

/** The commands that render manifests, in the order in which they are tried. The last command builds kustomize with Go. */
const RENDERERS: readonly (readonly [command: string, ...args: string[]])[] = [
  ['kubectl', 'kustomize'],
  ['kustomize', 'build'],
  ['go', 'run', 'sigs.k8s.io/kustomize/kustomize/v5@v5.6.0', 'build'],
];

/** Returns the objects that kustomize renders from a folder. */
export function rendered(folder: string): Manifest[] {
  return parseAllDocuments(runFirst(folder)).map((document) => document.toJS() as Manifest);
}

/** Returns the objects that kustomize renders from the base with these components. */
export function renderedWith(components: readonly string[]): Manifest[] {
  // Kustomize accepts other folders only by relative paths.
  const folder = mkdtempSync(join(KUBERNETES, 'overlays', '.test-'));
  try {
    const kustomization = {
      resources: [relative(folder, join(KUBERNETES, 'base'))],
      components: components.map((name) => relative(folder, join(KUBERNETES, 'components', name))),
    };
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
    return rendered(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function runFirst(folder: string): string {
  for (const [command, ...args] of RENDERERS) {
    try {
      return execFileSync(command, [...args, folder], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error('needs kubectl, kustomize or Go');
}
