// Reads types of the source with their doc comments, through the TypeScript compiler.
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Reads the types that a file of the source exports. */
export function typesOf(file) {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [file], include: [] }, ts.sys, root);
  const program = ts.createProgram([`${root}${file}`], options);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(`${root}${file}`);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${file} is no module`);
  const exported = new Map(checker.getExportsOfModule(module).map((symbol) => [symbol.name, symbol]));
  const typeNamed = (name) => {
    const symbol = exported.get(name);
    if (symbol === undefined) throw new Error(`${file} exports no ${name}`);
    return { symbol, type: checker.getDeclaredTypeOfSymbol(symbol) };
  };
  return {
    /** Returns a type's doc comment. */
    docOf: (name) => docOf(typeNamed(name).symbol, checker),
    /** Returns the fields of an interface. Inherited fields come last. */
    fieldsOf: (name) =>
      checker.getPropertiesOfType(typeNamed(name).type).map((field) => describe(field, checker)),
    /**
     * Returns the members of a union of texts, each with the comment before it. `name` is the name of the union, or `Interface.field` for a
     * field whose type is a union.
     */
    choicesOf: (name) => {
      const [typeName, fieldName] = name.split('.');
      const { symbol, type } = typeNamed(typeName);
      const documented = fieldName === undefined ? symbol : checker.getPropertyOfType(type, fieldName);
      if (documented === undefined) throw new Error(`${typeName} has no ${fieldName}`);
      const { valueDeclaration, declarations } = documented;
      const declaration = /** @type {any} */ (valueDeclaration ?? declarations?.[0]);
      return choicesIn(declaration.type);
    },
    /** Returns the fields of an object and of its nested objects, by their paths. */
    fieldsByPath: (name) => new Map(fieldsIn(typeNamed(name).type, '', checker)),
  };
}

function docOf(symbol, checker) {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  return text.replaceAll(/\s+/g, ' ').trim();
}

function describe(field, checker) {
  const tag = field.getJsDocTags(checker).find(({ name }) => name === 'default');
  return {
    name: field.name,
    isOptional: (field.flags & ts.SymbolFlags.Optional) !== 0,
    type: typeText(field),
    default: tag && ts.displayPartsToString(tag.text).replaceAll(/\s+/g, ' '),
    doc: docOf(field, checker),
  };
}

/**
 * Returns the type as it is written in the source. A union whose members have comments has a table of its own, so this only refers to it.
 */
function typeText({ declarations: [declaration] }) {
  const text = declaration.type.getText();
  return text.includes('/**') ? 'one of those below' : text.replaceAll(/\s+/g, ' ');
}

function choicesIn(union) {
  const text = union.getSourceFile().text;
  return union.types.map((member) => {
    const ranges = ts.getLeadingCommentRanges(text, member.getFullStart()) ?? [];
    // The comment is before the bar `|`, and the bar is not part of the member.
    const before = text.slice(0, member.getStart()).match(/\/\*\*((?:(?!\*\/)[^])*)\*\/\s*\|?\s*$/)?.[1];
    const comment = before ?? ranges.map(({ pos, end }) => text.slice(pos, end)).join(' ');
    return { choice: member.getText().replaceAll("'", ''), meaning: plain(comment) };
  });
}

const plain = (comment) =>
  comment
    .replaceAll(/\/\*\*|\*\/|^\s*\*/gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

function fieldsIn(type, path, checker) {
  return checker.getPropertiesOfType(checker.getNonNullableType(type)).flatMap((field) => {
    const name = `${path}${field.name}`;
    const fieldType = checker.getNonNullableType(checker.getTypeOfSymbol(field));
    const isObject = (fieldType.flags & ts.TypeFlags.Object) !== 0;
    return [[name, describe(field, checker)], ...(isObject ? fieldsIn(fieldType, `${name}.`, checker) : [])];
  });
}
