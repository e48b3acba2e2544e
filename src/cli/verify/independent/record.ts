// The one shape that everything in a parsed file is read through.

/** An object of a parsed JSON text. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a parsed value is an object and not a list. */
export function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The items of a list; empty for anything else. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The keys of an object that are not in a list. */
export function otherKeys(object: Fields, known: readonly string[]): string[] {
  return Object.keys(object).filter((key) => !known.includes(key));
}
