/** Tells Node and bundlers that the built modules for browsers are ES modules, which the package itself is not. */
import { writeFileSync } from 'node:fs';

writeFileSync(new URL('../dist/src/embed/module/package.json', import.meta.url), '{ "type": "module" }\n');
