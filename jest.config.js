const { testProjects } = require('./test/support/setup/test-projects.cjs');

/** One imports Node's modules lazily, which Jest lets no CommonJS module do; the others are ES modules. */
const IMPORTING = '/node_modules/(@opentelemetry/otlp-exporter-base|openid-client|oauth4webapi|jose)/';

const SWC = { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } };

/** @satisfies {import('jest').Config} */
const shared = {
  testEnvironment: '<rootDir>/test/support/jest/process-environment.cjs',
  runtime: '<rootDir>/test/support/jest/sharing-runtime.cjs',
  roots: ['<rootDir>/test'],
  transform: { '^.+\\.ts$': ['@swc/jest', SWC], [`${IMPORTING}.+\\.js$`]: ['@swc/jest', SWC] },
  transformIgnorePatterns: [`^(?!.*${IMPORTING}).*/node_modules/`],
  // Sources name what they import lazily as it is called once it is built.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.js', '$1'] },
};

const { unit, world } = testProjects();
const inTests = (names) => names.map((name) => `<rootDir>/test/${name}`);

/**
 * Jest runs the set-up of a project that has tests to run. On the command line, tests are chosen by a path or `--testPathPatterns`:
 * `--testMatch` would say for both projects what is theirs.
 *
 * @satisfies {import('jest').Config}
 */
module.exports = {
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: inTests(unit),
      setupFiles: ['<rootDir>/test/support/setup/without-server.ts'],
    },
    {
      ...shared,
      displayName: 'world',
      testMatch: inTests(world),
      globalSetup: '<rootDir>/test/support/setup/global-setup.ts',
      globalTeardown: '<rootDir>/test/support/setup/global-teardown.ts',
    },
  ],
  testTimeout: 60_000,
  maxWorkers: 2,
};
