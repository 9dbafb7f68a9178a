import { use } from './use';
import { createWorld, type World, type WorldOptions } from './world';

/**
 * Starts a world for all tests of a file or a `describe`. If its options need another object in use, pass a function,
 * which is called once that object exists.
 */
export function useWorld(options: WorldOptions | (() => WorldOptions) = {}): World {
  return use(
    () => createWorld(typeof options === 'function' ? options() : options),
    (world) => world.close(),
  );
}
