import { builtinRules } from 'eslint/use-at-your-own-risk';

const restrictedSyntax = builtinRules.get('no-restricted-syntax');
if (restrictedSyntax === undefined) throw new Error('ESLint has no rule no-restricted-syntax any more.');

/** Makes a rule that refuses the syntax that the selectors match. Oxlint has no rule of this kind, but can run ESLint's. */
const refuse = (message, ...selectors) => ({
  meta: { ...restrictedSyntax.meta, schema: [] },
  create(context) {
    const options = selectors.map((selector) => ({ selector, message }));
    return restrictedSyntax.create(Object.create(context, { options: { value: options } }));
  },
});

const MODULE = ':matches(Program, ExportNamedDeclaration)';

export default {
  meta: { name: 'paysession' },
  rules: {
    // A constructor alone has no other way to be private.
    'no-private-keyword': refuse(
      'Write #name: it is private at run time, too.',
      'PropertyDefinition[accessibility="private"]',
      'MethodDefinition[accessibility="private"][kind!="constructor"]',
      'TSParameterProperty[accessibility="private"]',
    ),
    // Declarations that keep something between runs of a workflow: a variable, a collection, or a container that begins empty.
    'no-module-state': refuse(
      'Runs of workflows share modules: keep state in the run (`perRun`) or in its objects.',
      `${MODULE} > VariableDeclaration[kind!="const"]`,
      `${MODULE} > VariableDeclaration > VariableDeclarator > NewExpression.init[callee.name=/^(Weak)?(Map|Set)$/]`,
      `${MODULE} > VariableDeclaration > VariableDeclarator > ObjectExpression.init[properties.length=0]`,
      `${MODULE} > VariableDeclaration > VariableDeclarator > ArrayExpression.init[elements.length=0]`,
      'PropertyDefinition[static=true][readonly!=true]',
    ),
  },
};
