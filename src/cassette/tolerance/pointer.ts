// The pointers of a tolerance file: JSON pointers (RFC 6901) into the arguments of a tool, in which a segment `*` stands for
// any one key or index. A key that is itself `*` has no pointer of its own.

/** The keys that a pointer leads through, unescaped; undefined for what is no pointer. "" has none. */
export function parsePointer(pointer: string): string[] | undefined {
  if (pointer !== "" && (!pointer.startsWith("/") || /~(?![01])/.test(pointer))) return undefined;
  return pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Whether some place that `inner` names lies below one that `outer` names. */
export function canLieBelow(inner: readonly string[], outer: readonly string[]): boolean {
  return (
    inner.length > outer.length &&
    outer.every((segment, index) => segment === "*" || inner[index] === "*" || segment === inner[index])
  );
}
