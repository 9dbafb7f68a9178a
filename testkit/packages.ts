import { needOptionalPackages } from '../src/files';

needOptionalPackages('The testing kit', ['fastify']);
