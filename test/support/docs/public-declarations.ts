import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { ROOT } from './snippets';

/** The package’s entry points. The browser’s module is left out: it has its own TypeScript project. */
const ENTRIES = [
  'src/index.ts',
  'src/contract/public.ts',
  'src/nexus.ts',
  'src/embed/index.ts',
  'workflows/index.ts',
  'activities/index.ts',
  'worker/index.ts',
  'worker/traces/index.ts',
  'ledger/index.ts',
  'sandbox/index.ts',
  'testkit/index.ts',
].map((file) => join(ROOT, file));

/** A declaration that the package exports, or a member of one. */
export interface PublicDeclaration {
  /** `folder: Name` or `folder: Name.member`. */
  readonly name: string;
  /** Its doc comment. */
  readonly doc: string;
  /** The code of its examples. */
  readonly examples: readonly string[];
}

/** Returns every declaration that an entry point exports, and the members of classes and interfaces. */
export function publicDeclarations(): readonly PublicDeclaration[] {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    readonly config: object;
  };
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, ROOT);
  const program = ts.createProgram(ENTRIES, { ...options, lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'] });
  const checker = program.getTypeChecker();
  return ENTRIES.flatMap((entry) => {
    const source = program.getSourceFile(entry);
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${entry} is not a module`);
    const folder = relative(ROOT, dirname(entry));
    return checker.getExportsOfModule(module).flatMap((symbol) => {
      const declared =
        (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
      return [declared, ...membersOf(declared, checker)].map((one) => ({
        name: `${folder}: ${one === declared ? '' : `${declared.name}.`}${one.name}`,
        doc: ts.displayPartsToString(one.getDocumentationComment(checker)),
        examples: one
          .getJsDocTags(checker)
          .filter(({ name }) => name === 'example')
          .map(({ text }) => codeOf(ts.displayPartsToString(text))),
      }));
    });
  });
}

/** Returns the members of a class or interface, including those that it inherits from other declarations of this project. */
function membersOf(symbol: ts.Symbol, checker: ts.TypeChecker): readonly ts.Symbol[] {
  if ((symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface)) === 0) return [];
  return checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol)).filter((member) => {
    const [declaration] = member.declarations ?? [];
    return declaration !== undefined && isOurs(declaration) && !isHidden(declaration);
  });
}

const isOurs = (declaration: ts.Declaration): boolean =>
  !declaration.getSourceFile().fileName.includes('/node_modules/');

/** True if a member needs no docs: it is private, internal, overridden (such as an error’s `name`), or has a computed name. */
function isHidden(declaration: ts.Declaration): boolean {
  const flags = ts.getCombinedModifierFlags(declaration);
  const name = ts.getNameOfDeclaration(declaration);
  return (
    (flags & (ts.ModifierFlags.Private | ts.ModifierFlags.Override)) !== 0 ||
    ts.getJSDocTags(declaration).some(({ tagName }) => tagName.text === 'internal') ||
    (name !== undefined && (ts.isPrivateIdentifier(name) || ts.isComputedPropertyName(name)))
  );
}

const codeOf = (example: string): string => example.replaceAll(/^```\w*\n|\n?```\s*$/g, '');
