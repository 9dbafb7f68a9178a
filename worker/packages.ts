import { explain, PaysessionError } from '../src/errors';
import { needTemporalPackages } from '../src/files';

const NAMES = ['worker', 'nexus', 'activity', 'client', 'common', 'proto', 'workflow'];

needTemporalPackages(
  'The worker',
  NAMES.map((name) => `@temporalio/${name}`),
);

// On Bun, every call to the payment service would fail: Bun's own undici knows no dispatchers.
if ('bun' in process.versions)
  throw new PaysessionError('RUNTIME_UNSUPPORTED', explain('RUNTIME_UNSUPPORTED'));
