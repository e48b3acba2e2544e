// What the command line needs of the world around it, handed in so that a test can run it inside its own process.

import { resolve } from "node:path";
import type { FilePort } from "../../core/index.js";

/** The world a command line runs in. */
export interface CliIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Absent: nothing is there to be read. */
  readonly stdin?: () => AsyncIterable<Uint8Array>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** True when stdout is a terminal. */
  readonly isTTY: boolean;
  /** True when stderr is a terminal. */
  readonly stderrIsTTY: boolean;
  readonly files: FilePort;
}

/** What a command is given: the world, and where to leave its exit code when that is not 0. */
export interface CommandIo extends CliIo {
  readonly exit: (code: number) => void;
}

/** The files as seen from the working folder, so that every message names a path as it was given. */
export function filesAt({ files, cwd }: Pick<CliIo, "files" | "cwd">): FilePort {
  // An empty path is no path; it must not come to mean the working folder.
  const at = (path: string): string => (path === "" ? "" : resolve(cwd, path));
  return {
    read: (path, maxBytes) => files.read(at(path), maxBytes),
    write: (path, text, options) => files.write(at(path), text, options),
    append: (path, text) => files.append(at(path), text),
    remove: (path) => files.remove(at(path)),
    list: (folder, suffix) => files.list(at(folder), suffix),
  };
}
