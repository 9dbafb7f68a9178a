/**
 * Hides the global set-up from unit tests, even if it has run for other tests, so that a unit test that needs it
 * always fails.
 */
for (const name of [
  'PAYSESSION_TEST_TEMPORAL',
  'PAYSESSION_TEST_TEMPORAL_EXECUTABLE',
  'PAYSESSION_TEST_POSTGRES',
  'PAYSESSION_TEST_BUNDLE',
])
  Reflect.deleteProperty(process.env, name);
