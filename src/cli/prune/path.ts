// Paths with every link resolved, because several links may lead to one file.

import { realpath } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/** The real path. For a missing file, resolves the nearest existing folder. */
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
