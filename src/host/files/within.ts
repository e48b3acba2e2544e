// Tells whether a path is in a folder.

import { isAbsolute, relative, sep } from "node:path";

/** True if `path` is the folder, or lies below it. Both are absolute. Links are not followed. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  // A name may begin with two dots. On Windows, a path on another drive stays absolute.
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
