const { transformFileSync } = require('@swc/core');

/** @type {import('@swc/core').Options} */
const options = {
  jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
  module: { type: 'commonjs' },
  configFile: false,
  swcrc: false,
};

/** Lets a plain Node process load the TypeScript sources. Tests start such processes. */
require.extensions['.ts'] = (module, file) => {
  const compilable = /** @type {NodeJS.Module & { _compile(code: string, file: string): void }} */ (module);
  compilable._compile(transformFileSync(file, options).code, file);
};
