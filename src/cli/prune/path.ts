// Paths with every link resolved, since one file may be reached by several.

import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/** The real path, also of a file that does not exist: then its nearest folder that exists is resolved. */
export async function realPath(path: string, cwd: string): Promise<string> {
  const whole = resolve(cwd, path);
  return realpath(whole).catch(async () =>
    dirname(whole) === whole ? whole : join(await realPath(dirname(whole), cwd), basename(whole)),
  );
}

/** True when `file` is in one of the folders, both real paths. */
export function isInside(folders: readonly string[], file: string): boolean {
  return folders.some((folder) => {
    const path = relative(folder, file);
    return path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
  });
}
