// Properties and private fields that leave objects to the young generation. V8 allocates getters in the old one, and treats a value of a
// WeakMap that refers to its key as if it were there. Both keep all that they refer to, such as a whole run, until the next full collection.

type Getters = Readonly<Record<string, (source: never) => unknown>>;
type SourceOf<G extends Getters> = Parameters<G[keyof G]>[0];
type Values<G extends Getters> = { readonly [Name in keyof G]: ReturnType<G[Name]> };

/** Not enumerable, so copies, comparisons and JSON do not see it. Not private, so the getters work through a Proxy. */
const SOURCE = "(source)";

/**
 * Prepares enumerable read-only properties that are computed on each read. The returned function adds them to an object, with the source
 * that they read. All objects share the getters, so a getter refers to no object.
 */
export function createGetters<G extends Getters>(getters: G) {
  const descriptors: PropertyDescriptorMap = {};
  for (const [name, read] of Object.entries(getters)) {
    descriptors[name] = {
      get(this: { [SOURCE]: never }) {
        return read(this[SOURCE]);
      },
      enumerable: true,
      configurable: true,
    };
  }
  return <T extends object>(object: T, source: SourceOf<G>): T & Values<G> => {
    Object.defineProperty(object, SOURCE, { value: source });
    return Object.defineProperties(object, descriptors) as T & Values<G>;
  };
}

/** Its constructor returns its argument, so a class that extends it puts its private fields on any object. */
// eslint-disable-next-line @typescript-eslint/no-extraneous-class -- Only its constructor is needed.
export class Given {
  constructor(object: object) {
    return object;
  }
}

export interface PrivateField<T> {
  /** Undefined for an object without the field. */
  get(object: object): T | undefined;
  set(object: object, value: T): void;
}

/** Creates a field for objects of any kind, which nothing else can read. */
export function createPrivateField<T>(): PrivateField<T> {
  return class Field extends Given {
    #value: T;

    constructor(object: object, value: T) {
      super(object);
      this.#value = value;
    }

    static get(object: object): T | undefined {
      return #value in object ? object.#value : undefined;
    }

    static set(object: object, value: T): void {
      if (#value in object) object.#value = value;
      else new Field(object, value);
    }
  };
}
