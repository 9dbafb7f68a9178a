/** A program that the cache keeps, in a folder of its own. */
export interface CachedProgram {
  /** What people call it, for progress and errors. */
  readonly title: string;
  /** Name and version: the folder's name in the cache. */
  readonly entry: string;
  readonly executableName: string;
  /** Makes sure that a file is the program and runs here; throws an `Error` that says why not. */
  readonly check: (executable: string, env: NodeJS.ProcessEnv) => Promise<void>;
}
