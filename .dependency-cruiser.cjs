/** The directions of dependencies: each rule names who may not reach what. */
const only = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: from },
  to: { pathNot: [from, ...allowed] },
});

const zod = '^node_modules/zod';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    only('contract-is-pure', '^src/contract', [zod]),
    only('errors-are-pure', '^src/errors', [zod, '^src/contract']),
    only('protocol-is-pure', '^src/protocol', ['^src/contract']),
    {
      name: 'files-know-nobody',
      severity: 'error',
      from: { path: '^src/files' },
      to: { path: '^(src|workflows|nexus|activities|worker|sandbox|node_modules)/', pathNot: ['^src/files'] },
    },
    {
      name: 'workflows-import-little',
      severity: 'error',
      from: { path: '^workflows' },
      to: {
        pathNot: [
          '^workflows',
          '^src/(contract|errors|protocol)/',
          '^activities/',
          '^node_modules/@temporalio/(workflow|common)',
        ],
      },
    },
    {
      name: 'workflows-know-activities-as-types-only',
      severity: 'error',
      from: { path: '^workflows' },
      to: { path: '^activities', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nexus-is-for-workflows',
      severity: 'error',
      from: { path: '^nexus' },
      to: { pathNot: ['^nexus', '^workflows/protocol', '^src/errors/codes', '^node_modules/nexus-rpc'] },
    },
    {
      name: 'sandbox-knows-the-contract-only',
      severity: 'error',
      from: { path: '^sandbox' },
      to: { path: '^(src|workflows|activities|worker)/', pathNot: ['^src/(contract|errors|files)/'] },
    },
    {
      name: 'library-loads-no-worker',
      severity: 'error',
      from: { path: '^src', pathNot: '^src/(cli|testing)/' },
      to: {
        path: ['^(worker|activities|sandbox|nexus)/', '^node_modules/@temporalio/(worker|activity|nexus)'],
      },
    },
    {
      name: 'service-knows-no-temporal',
      severity: 'error',
      from: { path: '^src/service' },
      to: { path: '^node_modules/@temporalio' },
    },
    // It is loaded by browsers, one file by itself.
    only('embed-stands-alone', '^embed', []),
    {
      name: 'only-browsers-load-embed',
      severity: 'error',
      from: { path: '^(src|workflows|nexus|activities|worker|sandbox)/' },
      to: { path: '^embed' },
    },
    // What a merchant would write: it knows the package by its public entries alone.
    {
      name: 'checkout-example-uses-the-public-package',
      severity: 'error',
      from: { path: '^examples/checkout/', pathNot: '^examples/checkout/page/' },
      to: { path: '^(src|workflows|nexus|activities|worker|sandbox|embed)/', pathNot: '^src/index.ts$' },
    },
    {
      name: 'checkout-page-runs-in-browsers',
      severity: 'error',
      from: { path: '^examples/checkout/page/' },
      to: {
        pathNot: ['^examples/checkout/page/', '^embed/index.ts$', '^dist/embed/'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'only-the-command-line-serves-the-example',
      severity: 'error',
      from: { path: '^(src|workflows|nexus|activities|worker|sandbox|embed)/', pathNot: '^src/cli/' },
      to: { path: '^examples/' },
    },
    {
      name: 'testing-is-for-tests-and-the-command-line',
      severity: 'error',
      from: { pathNot: '^src/(testing|cli)/' },
      to: { path: '^src/testing/' },
    },
    {
      name: 'testing-imports-the-parts-it-joins',
      severity: 'error',
      from: { path: '^src/testing' },
      to: {
        path: '^(src|workflows|activities|worker|sandbox)/',
        pathNot: [
          '^src/(testing|encryption|engine|sessions|errors|contract|protocol|settings)/',
          '^(workflows|activities|worker|sandbox)/',
        ],
      },
    },
    {
      name: 'nothing-imports-the-command-line',
      severity: 'error',
      from: { pathNot: '^src/cli/' },
      to: { path: '^src/cli/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['require', 'node', 'default', 'types'],
    },
  },
};
