/** `T` without `undefined`: a member that could be `undefined` may be absent. */
type Defined<T> = {
  [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name];
} & { [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined> };

/** Returns the object without the members that are `undefined`. */
export const defined = <T extends object>(members: T): Defined<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
