import { needOptionalPackages } from '../src/files';

needOptionalPackages('The sandbox', ['fastify']);
