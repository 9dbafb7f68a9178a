import { needTemporalPackages } from '../src/files/optional-packages';

const NAMES = ['worker', 'nexus', 'activity', 'client', 'common', 'proto', 'workflow'];

needTemporalPackages(
  'The worker',
  NAMES.map((name) => `@temporalio/${name}`),
);
