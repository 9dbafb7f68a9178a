const config = require('./jest.config.js');

const {
  projects: [, world],
  ...run
} = config;

/**
 * The long form of what `npm test` samples: every beginning of every recorded session, a hundred random
 * sequences, a hundred sessions of a service that lies, every plan of faults that once
 * violated an invariant, and ten thousand lines of reconciliation files.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  ...run,
  ...world,
  displayName: 'long',
  testMatch: [
    '**/test/replay/corpus.test.ts',
    '**/test/testkit/world-model.test.ts',
    '**/test/campaign/lying-service.test.ts',
    '**/test/faults/regressions.test.ts',
    '**/test/ledger/reconciliation/kills.test.ts',
  ],
};
process.env.PAYSESSION_TEST_STRIDE ??= '1';
process.env.PAYSESSION_TEST_RUNS = '100';
