// Whether a call reached a prototype that all objects share. What it put there is taken away again, so that the values tried
// after it, and the tests, run on clean ground.

const SHARED: readonly (readonly [name: string, prototype: object])[] = [
  ["Object.prototype", Object.prototype],
  ["Array.prototype", Array.prototype],
  ["Function.prototype", Function.prototype],
  ["String.prototype", String.prototype],
];

/** Notes what is there now; the function it gives names what was added since, and removes it. */
export function watchPrototypes(): () => string[] {
  const before = SHARED.map(([, prototype]) => new Set(Reflect.ownKeys(prototype)));
  return () =>
    SHARED.flatMap(([name, prototype], index) =>
      Reflect.ownKeys(prototype)
        .filter((key) => before[index]?.has(key) === false)
        .map((key) => {
          Reflect.deleteProperty(prototype, key);
          return `${name}.${String(key)}`;
        }),
    );
}
