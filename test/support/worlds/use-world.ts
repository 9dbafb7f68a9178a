import { use } from './use';
import { createWorld, type World, type WorldOptions } from './world';

/**
 * A world for all tests of a file or a `describe`. Options that need something else in use are given by a function, which
 * is called when that is made.
 */
export function useWorld(options: WorldOptions | (() => WorldOptions) = {}): World {
  return use(
    () => createWorld(typeof options === 'function' ? options() : options),
    (world) => world.close(),
  );
}
