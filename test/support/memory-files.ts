// Files in memory behind the file port, and a count of what was done to them.

import type { FilePort, FileRead, FileWrite } from "../../src/core/ports.js";

export interface MemoryFiles extends FilePort {
  readonly texts: Map<string, string>;
  /** Answers every later call of one method with this instead. */
  fail(method: "read" | "write", result: FileRead & FileWrite): void;
}

export function memoryFiles(initial: Record<string, string> = {}): MemoryFiles {
  const texts = new Map(Object.entries(initial));
  const failures = new Map<string, FileRead & FileWrite>();
  return {
    texts,
    fail: (method, result) => void failures.set(method, result),
    async read(path, maxBytes) {
      const failure = failures.get("read");
      if (failure !== undefined) return failure;
      const text = texts.get(path);
      if (text === undefined) return { kind: "not-found" };
      const bytes = new TextEncoder().encode(text);
      return bytes.length > maxBytes ? { kind: "too-large", size: bytes.length } : { kind: "read", bytes };
    },
    async write(path, text, { overwrite }) {
      const failure = failures.get("write");
      if (failure !== undefined) return failure;
      if (!overwrite && texts.has(path)) return { kind: "exists" };
      texts.set(path, text);
      return { kind: "written" };
    },
    async append(path, text) {
      texts.set(path, (texts.get(path) ?? "") + text);
      return { kind: "written" };
    },
    remove: async (path) => ({ kind: texts.delete(path) ? "removed" : "not-found" }),
    list: async (folder, suffix) =>
      [...texts.keys()]
        .filter((path) => path.startsWith(`${folder}/`) && path.endsWith(suffix))
        .map((path) => path.slice(folder.length + 1))
        .sort(),
  };
}
