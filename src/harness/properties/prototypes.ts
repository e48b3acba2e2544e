// Finds changes that a call made to shared prototypes, and undoes them, so that later values and tests start clean.

const SHARED: readonly (readonly [name: string, prototype: object])[] = Object.entries({
  ...{ Object, Array, Function, String, Number, Boolean, BigInt, Symbol, RegExp, Date, Error, Promise, Map, Set },
  ...{ WeakMap, WeakSet, Uint8Array, URL },
}).map(([name, { prototype }]) => [`${name}.prototype`, prototype]);

type Properties = ReadonlyMap<PropertyKey, PropertyDescriptor>;

/** Takes a snapshot. The returned function lists everything added, replaced or removed since, and undoes it. */
export function watchPrototypes(): () => string[] {
  const before = SHARED.map(([, prototype]) => propertiesOf(prototype));
  return () => SHARED.flatMap(([name, prototype], index) => restore(name, prototype, before[index] ?? new Map()));
}

function propertiesOf(prototype: object): Properties {
  return new Map(Reflect.ownKeys(prototype).map((key) => [key, Object.getOwnPropertyDescriptor(prototype, key) ?? {}]));
}

function restore(name: string, prototype: object, before: Properties): string[] {
  const now = propertiesOf(prototype);
  const added = [...now.keys()].filter((key) => !before.has(key));
  const changed = [...before].filter(([key, own]) => !isSame(own, now.get(key)));
  for (const key of added) Reflect.deleteProperty(prototype, key);
  for (const [key, own] of changed) Reflect.defineProperty(prototype, key, own);
  return [
    ...added.map((key) => `added ${name}.${String(key)}`),
    ...changed.map(([key]) => `${now.has(key) ? "replaced" : "removed"} ${name}.${String(key)}`),
  ];
}

function isSame(one: PropertyDescriptor, other: PropertyDescriptor | undefined): boolean {
  return other !== undefined && Object.is(one.value, other.value) && one.get === other.get && one.set === other.set;
}
