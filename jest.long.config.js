/**
 * The long form of what `npm test` samples: every beginning of every recorded session, and hundreds of random sequences.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  ...require('./jest.config.js'),
  testMatch: ['**/test/replay/corpus.test.ts', '**/test/testing/world-model.test.ts'],
};
process.env.PAYSESSION_TEST_PREFIXES = 'all';
process.env.PAYSESSION_TEST_RUNS = '300';
