import { needOptionalPackages } from '../../../src/files/optional-packages';

needOptionalPackages('The sample shop', ['standardwebhooks']);
