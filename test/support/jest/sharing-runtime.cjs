const asyncHooks = require('node:async_hooks');
const Module = require('node:module');
const { join, sep } = require('node:path');
const { compileFunction } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

const TESTS = `${join(__dirname, '..', '..')}${sep}`;
const CIRCUS = `${sep}jest-circus${sep}`;

/** @type {import('@jest/transform').TransformationOptions} */
const TRANSFORM = {
  collectCoverage: false,
  collectCoverageFrom: [],
  coverageProvider: 'v8',
  isInternalModule: false,
  supportsDynamicImport: false,
  supportsExportNamespaceFrom: false,
  supportsStaticESM: false,
  supportsTopLevelAwait: false,
};

/** Jest's transformer, with its cache on disk. @type {import('@jest/transform').ScriptTransformer} */
let transformer;

/**
 * The source maps of all sources that this process has loaded, and those that the running test file uses.
 *
 * @type {Record<'shared' | 'current', Map<string, string | null>>}
 */
const sourceMaps = { shared: new Map(), current: new Map() };

require.extensions['.ts'] = (module, file) => {
  const { code, sourceMapPath } = transformer.transform(file, TRANSFORM);
  for (const maps of Object.values(sourceMaps)) maps.set(file, sourceMapPath);
  /** @type {{ _compile(code: string, file: string): void }} */ (/** @type {unknown} */ (module))._compile(
    code,
    file,
  );
};

// In Jest’s own process, the global set-up has already loaded sources without this hook. Removes them, so that they are loaded
// again with their source maps.
for (const file of Object.keys(require.cache))
  if (file.endsWith('.ts')) Reflect.deleteProperty(require.cache, file);

const resolver = /** @type {{ _resolveFilename(request: string, ...rest: unknown[]): string }} */ (
  /** @type {unknown} */ (Module)
);
const resolveFilename = resolver._resolveFilename;
// Some sources load modules lazily by their names in the build, which end in `.js`. Here, the same files end in `.ts`.
resolver._resolveFilename = function resolveSource(request, ...rest) {
  try {
    return resolveFilename.call(this, request, ...rest);
  } catch (error) {
    if (!/^\.{1,2}\/.*\.js$/.test(request)) throw error;
    return resolveFilename.call(this, request.slice(0, -'.js'.length), ...rest);
  }
};

/**
 * Compiles a module that Jest loads.
 *
 * @typedef {{ compile: (source: string, filename: string) => Function, injectedModuleParameters: string[] }} Executor
 */

/**
 * An empty replacement for `AsyncLocalStorage`. Jest uses that class to find the test that caused an uncaught error. With this
 * replacement, such an error fails the whole file, but promises are faster.
 */
class NoStorage {
  /**
   * @template T
   * @param {unknown} _store
   * @param {() => T} callback
   * @returns {T}
   */
  run(_store, callback) {
    return callback();
  }

  getStore() {
    return undefined;
  }
}

const HOOKS_OF_JEST = { ...asyncHooks, AsyncLocalStorage: NoStorage };

/**
 * A runtime of Jest that loads the sources, the packages and most of Jest once for all test files of a process. Loading them for each
 * file takes longer than most tests. Each file has its own copy of the modules in `test`, and of the part of Jest that runs its tests.
 */
class SharingRuntime extends Runtime {
  #isIsolating = false;

  /** @param {ConstructorParameters<typeof Runtime>} args */
  constructor(...args) {
    super(...args);
    [, , , transformer] = args;
    sourceMaps.current = /** @type {Map<string, string | null>} */ (this.getSourceMaps());
    for (const [file, map] of sourceMaps.shared) sourceMaps.current.set(file, map);
    const { executor } = /** @type {{ executor: Executor }} */ (/** @type {unknown} */ (this));
    // By default, Jest compiles a module for a vm context. These tests use the process’s own globals, without a vm context.
    executor.compile = (source, filename) =>
      compileFunction(source, executor.injectedModuleParameters, { filename });
  }

  /** @override @type {Runtime['requireModule']} */
  requireModule(from, name, options, isRequireActual) {
    if (name === undefined || this.#isIsolating)
      return super.requireModule(from, name, options, isRequireActual);
    const isOfJest = options?.isInternalModule === true;
    if (isOfJest && name.endsWith('async_hooks')) return /** @type {never} */ (HOOKS_OF_JEST);
    const path = Module.createRequire(from).resolve(name);
    const isOwn = isOfJest ? path.includes(CIRCUS) : path.startsWith(TESTS);
    return isOwn ? super.requireModule(from, name, options, isRequireActual) : require(path);
  }

  /** @override @param {() => void} load */
  isolateModules(load) {
    this.#isIsolating = true;
    try {
      super.isolateModules(load);
    } finally {
      this.#isIsolating = false;
    }
  }
}

module.exports = { __esModule: true, default: SharingRuntime };
