// Hides the values of the global setup from unit tests. So a unit test that needs a server fails, also if the setup has run for
// other tests.
for (const name of [
  'PAYSESSION_TEST_TEMPORAL',
  'PAYSESSION_TEST_TEMPORAL_EXECUTABLE',
  'PAYSESSION_TEST_POSTGRES',
  'PAYSESSION_TEST_BUNDLE',
])
  Reflect.deleteProperty(process.env, name);
