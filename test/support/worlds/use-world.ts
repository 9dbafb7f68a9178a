import { use } from './use';
import { createWorld, type World, type WorldOptions } from './world';

/**
 * Starts a world for all tests of a file or a `describe`. If the options depend on an object of another `use…` function, pass a
 * function: it is called once that object exists.
 */
export function useWorld(options: WorldOptions | (() => WorldOptions) = {}): World {
  return use(
    () => createWorld(typeof options === 'function' ? options() : options),
    (world) => world.close(),
  );
}
