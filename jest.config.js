/** One imports Node's modules lazily, which Jest lets no CommonJS module do; the others are ES modules. */
const IMPORTING = '/node_modules/(@opentelemetry/otlp-exporter-base|openid-client|oauth4webapi|jose)/';

const SWC = { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } };

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  globalSetup: '<rootDir>/test/support/setup/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/setup/global-teardown.ts',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', SWC], [`${IMPORTING}.+\\.js$`]: ['@swc/jest', SWC] },
  transformIgnorePatterns: [`^(?!.*${IMPORTING}).*/node_modules/`],
  // Sources name what they import lazily as it is called once it is built.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.js', '$1'] },
  testTimeout: 60_000,
  maxWorkers: 2,
};
