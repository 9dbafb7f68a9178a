import { needOptionalPackages } from '../src/files/optional-packages';

needOptionalPackages('The testing kit', ['fastify']);
