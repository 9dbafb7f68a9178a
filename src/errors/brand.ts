type ErrorClass = (abstract new (...args: never[]) => Error) & { readonly prototype: Error };

/**
 * Makes `instanceof` know an error class by a mark in the symbol registry, which all copies of the package share: the copy
 * that throws need not be the one that catches. A class that extends it without a mark of its own is known as usual.
 */
export function brand(errorClass: ErrorClass, name: string): void {
  const mark = Symbol.for(`paysession.${name}`);
  Object.defineProperty(errorClass.prototype, mark, { value: true });
  Object.defineProperty(errorClass, Symbol.hasInstance, {
    value(this: ErrorClass, value: unknown): boolean {
      if (this === errorClass) return typeof value === 'object' && value !== null && mark in value;
      return Function.prototype[Symbol.hasInstance].call(this, value);
    },
  });
}
