/** Imports Node's modules lazily, which Jest lets no CommonJS module do. */
const IMPORTING = '@opentelemetry/otlp-exporter-base/';

const SWC = { jsc: { target: 'es2022', parser: { syntax: 'typescript' } }, module: { type: 'commonjs' } };

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  globalSetup: '<rootDir>/test/support/setup/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/setup/global-teardown.ts',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', SWC], [`${IMPORTING}.+\\.js$`]: ['@swc/jest', SWC] },
  transformIgnorePatterns: [`/node_modules/(?!.*${IMPORTING})`],
  // Sources name what they import lazily as it is called once it is built.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.js', '$1'] },
  testTimeout: 60_000,
  maxWorkers: 2,
};
