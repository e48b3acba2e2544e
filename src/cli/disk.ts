// The files of this machine, loaded when a command first uses them: `--version` and `--help` do not.

import type { FilePort } from "../core/index.js";

export function lazyDisk(): FilePort {
  let opened: Promise<FilePort> | undefined;
  const disk = (): Promise<FilePort> => (opened ??= import("./files.js").then(({ nodeFiles }) => nodeFiles()));
  return {
    read: async (path, maxBytes) => (await disk()).read(path, maxBytes),
    write: async (path, text, options) => (await disk()).write(path, text, options),
    append: async (path, text) => (await disk()).append(path, text),
    remove: async (path) => (await disk()).remove(path),
    list: async (folder, suffix) => (await disk()).list(folder, suffix),
  };
}
