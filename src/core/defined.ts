// Adds optional fields to an object literal without a conditional spread for each one.

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Returns the fields that are not undefined, in order. */
export function defined<T extends object>(fields: T): Defined<T> {
  const kept: Defined<T> = {};
  for (const key of Object.keys(fields) as (keyof T)[]) {
    const value = fields[key];
    if (value !== undefined) kept[key] = value as Exclude<T[keyof T], undefined>;
  }
  return kept;
}
