import { needOptionalPackages } from '../src/files/optional-packages';

needOptionalPackages('The sandbox', ['fastify']);
