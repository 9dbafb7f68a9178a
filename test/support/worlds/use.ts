import { afterAll, beforeAll } from '@jest/globals';

interface Made {
  close(): Promise<unknown>;
}

/** The objects in use now, in the order in which they were made. */
const inUse: Made[] = [];

/**
 * Makes an object before the tests of a file or a `describe`, and closes it after them. Objects are closed in reverse order. Returns a
 * stand-in for the object, which tests can pass on while they are defined. The stand-in throws an error if it is used before the
 * object exists.
 */
export function use<T extends object>(make: () => Promise<T>, close: (made: T) => Promise<unknown>): T {
  let made: T | undefined;
  const entry = {
    close: async () => {
      if (made !== undefined) await close(made);
      made = undefined;
    },
  };
  beforeAll(async () => {
    made = await make();
    inUse.push(entry);
  });
  // Jest runs these hooks in the order in which the objects were made. So the hook of an older object first closes the newer objects,
  // because they may still need the older one.
  afterAll(async () => {
    while (inUse.includes(entry)) await inUse.pop()?.close();
  });
  return standInFor(() => {
    if (made === undefined) throw new Error('this is made before the tests: use it within one, or in a hook');
    return made;
  });
}

/** Returns a stand-in that reads each member from the object that `current` returns at that moment. */
export function standInFor<T extends object>(current: () => T): T {
  const lookUp = (_: T, name: string | symbol): unknown => {
    const object = current();
    const member: unknown = Reflect.get(object, name);
    return typeof member === 'function' ? (member.bind(object) as unknown) : member;
  };
  return new Proxy({} as T, { get: lookUp });
}
