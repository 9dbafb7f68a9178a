import { needOptionalPackages } from '../../../src/files';

needOptionalPackages('The sample shop', ['standardwebhooks']);
