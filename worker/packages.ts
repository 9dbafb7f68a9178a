import { explain, PaysessionError } from '../src/errors';
import { needTemporalPackages } from '../src/files';

const NAMES = ['worker', 'nexus', 'activity', 'client', 'common', 'proto', 'workflow'];

needTemporalPackages(
  'The worker',
  NAMES.map((name) => `@temporalio/${name}`),
);

// Bun is refused at once. Its built-in undici does not support dispatchers, so every call to the payment service would fail.
if ('bun' in process.versions)
  throw new PaysessionError('RUNTIME_UNSUPPORTED', explain('RUNTIME_UNSUPPORTED'));
