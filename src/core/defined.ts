// Optional fields of an object literal, without a conditional spread for each.

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** The fields that are not undefined, in their order. */
export function defined<T extends object>(fields: T): Defined<T> {
  const kept: Defined<T> = {};
  for (const key of Object.keys(fields) as (keyof T)[]) {
    const value = fields[key];
    if (value !== undefined) kept[key] = value as Exclude<T[keyof T], undefined>;
  }
  return kept;
}
