// Properties and private fields that let finished objects be collected with the young generation. V8 keeps the accessors of an object in the
// old one. A collection of the young one also keeps the values of a WeakMap, and so the keys that they refer to. Either can keep a whole run
// until the next full collection.

/**
 * Holds a function that returns the source. Not enumerable, so copies, comparisons and JSON do not see it. Not private, so the getters
 * work through a Proxy. Not the source itself, which some proxies would wrap.
 */
const SOURCE = "(source)";

type Getters<S> = Readonly<Record<string, (source: S) => unknown>>;
type Values<G extends Getters<never>> = { readonly [Name in keyof G]: ReturnType<G[Name]> };

/**
 * Prepares enumerable read-only properties that are computed on each read. The returned function adds them to an object, with the source
 * that they read. All objects share the getters. The descriptor of one works only on objects with this source.
 */
export function createGetters<S, G extends Getters<S>>(getters: G & Getters<S>) {
  const descriptors: PropertyDescriptorMap = {};
  for (const [name, read] of Object.entries(getters as Getters<S>)) {
    descriptors[name] = {
      get(this: { [SOURCE]: () => S }) {
        return read(this[SOURCE]());
      },
      enumerable: true,
      configurable: true,
    };
  }
  return <T extends object>(object: T, source: S): T & Values<G> => {
    Object.defineProperty(object, SOURCE, { value: () => source, configurable: true });
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

/** Creates a field for extensible objects, which nothing else can read. Future engines may refuse frozen ones. */
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
