// The environment of the command line, passed in so that a test can run it in its own process.

import { resolve } from "node:path";
import type { FilePort } from "../../core/index.js";

export interface CliIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Absent if there is nothing to read. */
  readonly stdin?: () => AsyncIterable<Uint8Array> & { readonly destroy?: () => void };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** True when stdout is a terminal. */
  readonly isTTY: boolean;
  readonly stderrIsTTY: boolean;
  readonly files: FilePort;
}

export interface CommandIo extends CliIo {
  /** Sets the exit code, which is 0 otherwise. */
  readonly exit: (code: number) => void;
}

/** Files by paths relative to the working folder, so that every message names a path as it was given. */
export function filesAt({ files, cwd }: Pick<CliIo, "files" | "cwd">): FilePort {
  // An empty path must not become the working folder.
  const at = (path: string): string => (path === "" ? "" : resolve(cwd, path));
  return {
    read: (path, maxBytes) => files.read(at(path), maxBytes),
    write: (path, text, options) => files.write(at(path), text, options),
    append: (path, text) => files.append(at(path), text),
    remove: (path) => files.remove(at(path)),
    list: (folder, suffix) => files.list(at(folder), suffix),
  };
}
