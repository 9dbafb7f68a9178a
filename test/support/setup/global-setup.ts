import { resolveEngine, startEngine, type RunningEngine } from '../../../engine';
import { SEARCH_ATTRIBUTES } from '../../../src/protocol/names';
import { writeBundle } from './write-bundle';

declare global {
  var paysessionEngine: RunningEngine | undefined;
}

/** One engine and one workflow bundle for all test files; tests keep apart by their task queues and keys. */
export default async function globalSetup(): Promise<void> {
  const engine = await resolveEngine({ onProgress: (line) => process.stderr.write(`${line}\n`) });
  if (engine.source === 'address') {
    process.env['PAYSESSION_TEST_ENGINE'] = engine.address;
  } else {
    const { executable } = engine;
    globalThis.paysessionEngine = await startEngine({
      executable,
      searchAttributes: Object.values(SEARCH_ATTRIBUTES),
    });
    process.env['PAYSESSION_TEST_ENGINE'] = globalThis.paysessionEngine.address;
    process.env['PAYSESSION_TEST_ENGINE_EXECUTABLE'] = executable;
  }
  await writeBundle();
}
