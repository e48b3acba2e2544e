// JSON pointers (RFC 6901): written, read and followed.

/** A JSON pointer (RFC 6901 §3) to the place that `keys` lead to. */
export function toPointer(keys: readonly (string | number)[]): string {
  return keys.map((key) => "/" + String(key).replaceAll("~", "~0").replaceAll("/", "~1")).join("");
}

/** The keys that a JSON pointer leads through; undefined for text that is not a pointer. "" is the whole value. */
export function parsePointer(pointer: string): string[] | undefined {
  if ((pointer !== "" && !pointer.startsWith("/")) || /~(?![01])/.test(pointer)) return undefined;
  return pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value at a JSON pointer, by own keys only, or undefined. */
export function valueAt(value: unknown, pointer: string): unknown {
  return parsePointer(pointer)?.reduce<unknown>((place, key) => {
    const isInside = typeof place === "object" && place !== null && Object.hasOwn(place, key);
    return isInside ? (place as Record<string, unknown>)[key] : undefined;
  }, value);
}
