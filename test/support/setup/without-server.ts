/** A unit test has nothing of the global set-up, also where that has run for others: one that needs it fails, whoever else runs. */
for (const name of [
  'PAYSESSION_TEST_ENGINE',
  'PAYSESSION_TEST_ENGINE_EXECUTABLE',
  'PAYSESSION_TEST_POSTGRES',
  'PAYSESSION_TEST_BUNDLE',
])
  Reflect.deleteProperty(process.env, name);
