import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

/** A constructor alone has no other way to be private. */
const PRIVATE = [
  'PropertyDefinition[accessibility="private"]',
  'MethodDefinition[accessibility="private"][kind!="constructor"]',
  'TSParameterProperty[accessibility="private"]',
].map((selector) => ({ selector, message: 'Write #name: it is private at run time, too.' }));

const MODULE = ':matches(Program, ExportNamedDeclaration)';
/** Declarations that keep something between runs of a workflow: a variable, a collection, or a container that begins empty. */
const MODULE_STATE = [
  `${MODULE} > VariableDeclaration[kind!="const"]`,
  `${MODULE} > VariableDeclaration > VariableDeclarator > NewExpression.init[callee.name=/^(Weak)?(Map|Set)$/]`,
  `${MODULE} > VariableDeclaration > VariableDeclarator > ObjectExpression.init[properties.length=0]`,
  `${MODULE} > VariableDeclaration > VariableDeclarator > ArrayExpression.init[elements.length=0]`,
  'PropertyDefinition[static=true][readonly!=true]',
].map((selector) => ({
  selector,
  message: 'Runs of workflows share modules: keep state in the run (`perRun`) or in its objects.',
}));

/** Named, because the project service takes twice the time, and more memory than Node has by default. */
const PROJECTS = [
  'tsconfig.json',
  'bench/peers/tsconfig.json',
  'examples/checkout/page/tsconfig.json',
  'sandbox/flow/assets/tsconfig.json',
  'scripts/tsconfig.json',
  'src/embed/tsconfig.json',
  'src/web/assets/tsconfig.json',
];

export default tseslint.config(
  { ignores: ['**/dist/', 'node_modules/', 'docs/api/'] },
  eslint.configs.recommended,
  {
    // The scripts of pages are checked as TypeScript is: `tsc` reads their types in comments.
    files: ['**/*.ts', '**/assets/*.js'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { project: PROJECTS, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      'no-duplicate-imports': 'error',
      'no-restricted-syntax': ['error', ...PRIVATE],
    },
  },
  {
    // Workflows, and what they import.
    files: [
      'workflows/**/*.ts',
      'src/{contract,errors,protocol}/**/*.ts',
      'src/nexus.ts',
      'src/encryption/failure-converter.ts',
    ],
    rules: { 'no-restricted-syntax': ['error', ...PRIVATE, ...MODULE_STATE] },
  },
  {
    // The folder says what a test needs.
    files: ['test/{unit,sandbox}/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: [
                '**/support/worlds/*',
                '!**/support/worlds/shop',
                '**/support/setup/*',
                '**/cli/run-paysession',
                '@temporalio/worker',
                '@temporalio/testing',
                'node:child_process',
              ],
              allowTypeImports: true,
              message: 'A unit test needs no server, worker or process: move the test to test/world.',
            },
          ],
        },
      ],
    },
  },
  {
    // What they load later they load in users' tests, too, where Jest lets CommonJS modules import nothing.
    files: ['{src/temporal-server,ledger,testkit}/**/*.ts'],
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  {
    files: ['**/*.js', '**/*.cjs', '**/*.mjs'],
    languageOptions: {
      globals: {
        module: 'writable',
        require: 'readonly',
        __dirname: 'readonly',
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        setTimeout: 'readonly',
      },
    },
  },
);
