/**
 * The allowed imports between folders. A folder may import from itself and from the folders in its list. A folder that is in no list (the
 * command line, the bench) may not be imported at all.
 */
const MAY_IMPORT = {
  'src/contract': [],
  'src/errors': ['src/contract'],
  'src/protocol': ['src/contract', 'src/errors'],
  'src/files': [],
  'src/encryption': ['src/errors', 'src/protocol'],
  'src/service': ['src/contract', 'src/errors', 'src/protocol'],
  'src/settings': [
    'src/contract',
    'src/errors',
    'src/protocol',
    'src/files',
    'src/encryption',
    'src/service',
  ],
  'src/sessions': ['src/contract', 'src/errors', 'src/protocol', 'src/encryption'],
  'src/nexus': ['src/errors', 'src/protocol'],
  'src/web': ['src/contract', 'src/errors'],
  'src/temporal-server': ['src/errors', 'src/files', 'src/settings'],
  // This folder imports nothing, because browsers load it as a single file.
  'src/embed': [],
  workflows: ['src/contract', 'src/errors', 'src/protocol'],
  activities: ['src/contract', 'src/errors', 'src/protocol', 'src/service'],
  ledger: ['src'],
  worker: ['src', 'workflows', 'activities', 'ledger'],
  sandbox: ['src/contract', 'src/errors', 'src/files', 'src/web'],
  console: ['src', 'ledger'],
  testkit: ['src', 'workflows', 'ledger', 'worker', 'sandbox'],
  cli: ['src', 'ledger', 'worker', 'sandbox', 'console', 'testkit', 'examples/checkout'],
  bench: ['src', 'ledger', 'worker', 'sandbox', 'console', 'testkit'],
};

/**
 * The sandbox's own folders and the files and folders that each may import. All may also import everything that the sandbox may import.
 * `sandbox.ts` puts them together.
 */
const ROOMS_OF_SANDBOX = {
  calls: ['clock.ts'],
  sessions: ['clients.ts', 'clock.ts', 'journal.ts'],
  api: ['calls', 'clients.ts', 'clock.ts', 'journal.ts', 'options.ts', 'sessions'],
  flow: ['calls', 'clients.ts', 'journal.ts', 'options.ts', 'sessions'],
  overview: ['calls', 'clients.ts', 'options.ts', 'sessions'],
  control: ['api', 'calls', 'clients.ts', 'clock.ts', 'options.ts', 'sessions'],
};

/**
 * The console's own folders and the files and folders that each may import. All may also import everything that the console may import.
 * `serve-console.ts` puts them together.
 */
const ROOMS_OF_CONSOLE = {
  texts: [],
  http: [],
  access: ['http', 'log.ts', 'options.ts', 'texts'],
  reading: ['access', 'http'],
  session: ['access', 'http', 'options.ts', 'page.ts', 'reading', 'texts'],
  payments: ['access', 'http', 'options.ts', 'page.ts', 'reading', 'session', 'texts'],
  sessions: ['access', 'http', 'log.ts', 'options.ts', 'page.ts', 'payments', 'reading', 'session', 'texts'],
  overview: ['access', 'options.ts', 'page.ts', 'payments', 'reading', 'sessions', 'texts'],
};

/** The client's own folders and the files and folders that each may import. The public classes put them together. */
const ROOMS_OF_SESSIONS = {
  calls: ['session-errors.ts', 'temporal-values.ts'],
  list: ['calls', 'temporal-values.ts'],
  start: ['calls', 'list', 'payment-session-handle.ts', 'session-errors.ts', 'stored-start.ts'],
};

/** Folders that may import only these packages, and no module of Node. */
const PACKAGES_OF_PURE = {
  'src/contract': [],
  'src/errors': [],
  'src/protocol': [],
  workflows: ['@temporalio/workflow', '@temporalio/common'],
  'src/nexus': ['nexus-rpc'],
  'src/embed': [],
};

const FOLDERS = '^(src|workflows|activities|ledger|worker|sandbox|console|testkit|cli|bench|examples)/';
/** Matches all files of a folder, or the single file with this name. */
const inside = (folder) => `^${folder}(?:/|[.]ts$)`;
const packageNamed = (name) => `^node_modules/${name}/`;

/** @type {'error'} */
const ERROR = 'error';

const directions = Object.entries(MAY_IMPORT).map(([folder, allowed]) => ({
  name: `${folder.replace('/', '-')}-imports`,
  comment: `${folder} may import ${allowed.join(', ') || 'no other folder'}`,
  severity: ERROR,
  from: { path: inside(folder) },
  to: { path: FOLDERS, pathNot: [folder, ...allowed].map(inside) },
}));

/** Returns the rules for imports inside a folder, between its own folders and the files next to them. */
const directionsWithin = (folder, rooms) =>
  Object.entries(rooms).map(([room, allowed]) => ({
    name: `${folder.replace('/', '-')}-${room}-imports`,
    comment: `${folder}/${room} may import ${allowed.join(', ') || `nothing else of the ${folder}`}`,
    severity: ERROR,
    from: { path: inside(`${folder}/${room}`) },
    to: {
      path: inside(folder),
      pathNot: [room, ...allowed].map((name) => `^${folder}/${name}${name.endsWith('.ts') ? '$' : '/'}`),
    },
  }));

const purity = Object.entries(PACKAGES_OF_PURE).map(([folder, packages]) => ({
  name: `${folder.replace('/', '-')}-is-pure`,
  comment: `${folder} may import ${packages.join(', ') || 'no package'} and nothing of Node`,
  severity: ERROR,
  from: { path: inside(folder) },
  to: { pathNot: [FOLDERS, ...packages.map(packageNamed)] },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
const configuration = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    ...directions,
    ...directionsWithin('sandbox', ROOMS_OF_SANDBOX),
    ...directionsWithin('console', ROOMS_OF_CONSOLE),
    ...directionsWithin('src/sessions', ROOMS_OF_SESSIONS),
    ...purity,
    {
      name: 'src-is-the-ground-floor',
      severity: 'error',
      from: { path: inside('src') },
      to: { path: [FOLDERS, packageNamed('@temporalio/(worker|activity|nexus)')], pathNot: inside('src') },
    },
    {
      name: 'only-http-servers-import-web',
      severity: 'error',
      from: {
        path: FOLDERS,
        pathNot: ['src/web', 'sandbox', 'console', 'cli', 'bench', 'worker/hints'].map(inside),
      },
      to: { path: inside('src/web') },
    },
    {
      name: 'only-development-starts-temporal-servers',
      severity: 'error',
      from: { path: FOLDERS, pathNot: ['src/temporal-server', 'testkit', 'cli', 'bench'].map(inside) },
      to: { path: inside('src/temporal-server') },
    },
    {
      name: 'sessions-has-one-door',
      severity: 'error',
      from: { path: FOLDERS, pathNot: inside('src/sessions') },
      to: { path: inside('src/sessions'), pathNot: '^src/sessions/index[.]ts$' },
    },
    {
      name: 'service-knows-no-temporal',
      severity: 'error',
      from: { path: inside('src/service') },
      to: { path: '^node_modules/@temporalio' },
    },
    {
      name: 'the-baseline-is-written-by-hand',
      comment:
        'It stands for code that knows nothing of this project; the bench runs it as it runs its own worker.',
      severity: 'error',
      from: { path: inside('bench/baseline') },
      to: { path: FOLDERS, pathNot: [inside('bench/baseline'), '^bench/sides/worker-process'] },
    },
    {
      name: 'the-shop-uses-the-public-package',
      comment: 'What a merchant would write: it knows the package by its entries, and no room of it.',
      severity: 'error',
      from: { path: inside('examples/checkout') },
      to: {
        path: [FOLDERS, '^src/[^/]+/'],
        pathNot: ['^src/[^/]+$', '^src/embed/', '^ledger/index[.]ts$', inside('examples/checkout')],
      },
    },
    {
      name: 'a-script-of-pages-is-one-file',
      severity: 'error',
      from: { path: '/assets/' },
      to: {},
    },
    {
      name: 'the-shop-s-page-runs-in-browsers',
      severity: 'error',
      from: { path: inside('examples/checkout/page') },
      to: {
        pathNot: [inside('examples/checkout/page'), '^src/embed/', '^dist/src/embed/'],
        dependencyTypesNot: ['type-only'],
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // `bench/peers` is a separate package with its own dependencies.
    exclude: { path: '^bench/peers/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['require', 'node', 'default', 'types'],
    },
  },
};

module.exports = configuration;
