import { afterAll, beforeAll } from '@jest/globals';

interface Made {
  close(): Promise<unknown>;
}

/** The objects in use now, oldest first. */
const inUse: Made[] = [];

/**
 * Makes an object before the tests of a file or a `describe`, and closes it after them, the youngest first. Returns a
 * stand-in that can be passed on while the tests are being defined. Using it before the object exists throws an
 * error.
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
  // Jest closes in the order of making. The first one to close also closes the later ones, which may still need it.
  afterAll(async () => {
    while (inUse.includes(entry)) await inUse.pop()?.close();
  });
  return standInFor(() => {
    if (made === undefined) throw new Error('this is made before the tests: use it within one, or in a hook');
    return made;
  });
}

/** Returns an object whose members are those of another one, read when they are used. */
export function standInFor<T extends object>(current: () => T): T {
  const lookUp = (_: T, name: string | symbol): unknown => {
    const object = current();
    const member: unknown = Reflect.get(object, name);
    return typeof member === 'function' ? (member.bind(object) as unknown) : member;
  };
  return new Proxy({} as T, { get: lookUp });
}
