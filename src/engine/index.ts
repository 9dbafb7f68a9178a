export { resolveEngine } from './resolve-engine';
export type { EngineAddress, ResolveEngineOptions, ResolvedEngine } from './resolve-engine';
export type { EngineExecutable } from './find-executable';
export { EngineNotFoundError } from './engine-not-found-error';
export type { EngineAttempt, EngineWay } from './engine-not-found-error';
export type { OnProgress } from './progress';
export { DEVELOPMENT_DYNAMIC_CONFIG, startEngine } from './start-engine';
export type { RunningEngine, StartEngineOptions } from './start-engine';
export { findOnMachine } from './find-on-machine';
