import { join } from 'node:path';
import ts from 'typescript';
import type { Manifest } from './rendered';

/** A class of `kubernetes-models`, which is generated from the definitions of the Kubernetes API. */
interface Model {
  validate(): void;
}
type Models = Readonly<Record<string, (new (data: Manifest) => Model) | undefined>>;

/** Returns the name of the module that defines the objects of an API. */
const moduleOf = (apiVersion: string): string =>
  apiVersion.startsWith('keda.sh/')
    ? `@kubernetes-models/keda/${apiVersion}`
    : `kubernetes-models/${apiVersion}`;

/**
 * Checks manifests against the definitions of their APIs, and returns the errors. The generated classes find wrong and missing values. To
 * find unknown fields, the manifests are written into a TypeScript program, and the compiler checks it.
 */
export function manifestErrors(manifests: readonly Manifest[]): string[] {
  const invalid = manifests.flatMap(invalidValues);
  return invalid.length > 0 ? invalid : unknownFields(manifests);
}

function invalidValues(manifest: Manifest): string[] {
  const { apiVersion, kind } = manifest;
  try {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- the manifest determines the module
    const Model = (require(moduleOf(apiVersion)) as Models)[kind];
    if (Model === undefined) return [`${apiVersion} has no ${kind}`];
    new Model(manifest).validate();
    return [];
  } catch (error) {
    return [`${kind} ${manifest.metadata.name}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

const FILE = join(__dirname, 'manifests.generated.ts');

function unknownFields(manifests: readonly Manifest[]): string[] {
  const statements = manifests.map((manifest, index) => {
    const type = `import('${moduleOf(manifest.apiVersion)}').I${manifest.kind}`;
    return `export const manifest${index}: ${type} = ${JSON.stringify(manifest, undefined, 2)};`;
  });
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
  };
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (name) => name === FILE || disk.fileExists(name),
    getSourceFile: (name, ...rest) =>
      name === FILE
        ? ts.createSourceFile(name, statements.join('\n'), ts.ScriptTarget.ES2022)
        : disk.getSourceFile(name, ...rest),
  };
  const program = ts.createProgram([FILE], options, host);
  const errors = ts.getPreEmitDiagnostics(program, program.getSourceFile(FILE));
  return errors.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}
