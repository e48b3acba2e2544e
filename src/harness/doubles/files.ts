// Files in memory behind the file port: for whatever keeps recordings, in tests that touch no disk.

import type { FilePort, FileRead, FileRemove, FileWrite } from "../../core/index.js";

/** What each method of the port can be made to answer. */
interface Answers {
  read: FileRead;
  write: FileWrite;
  append: FileWrite;
  remove: FileRemove;
}

/** Files in memory; made by {@link memoryFiles}. */
export interface MemoryFiles extends FilePort {
  /** Every file by its path. May be changed by hand, as somebody else's program would. */
  readonly texts: Map<string, string>;
  /** Every later call of one method answers with this, and does nothing. */
  fail<Method extends keyof Answers>(method: Method, answer: Answers[Method]): void;
}

/** Files with these texts by path. Folders are what stands before a `/`; there are no empty ones. */
export function memoryFiles(initial: Readonly<Record<string, string>> = {}): MemoryFiles {
  const texts = new Map(Object.entries(initial));
  const answers: Partial<Answers> = {};

  return {
    texts,
    fail(method, answer) {
      answers[method] = answer;
    },
    async read(path, maxBytes) {
      if (answers.read !== undefined) return answers.read;
      const text = texts.get(path);
      if (text === undefined) return { kind: "not-found" };
      const bytes = new TextEncoder().encode(text);
      return bytes.length > maxBytes ? { kind: "too-large", size: bytes.length } : { kind: "read", bytes };
    },
    async write(path, text, { overwrite }) {
      if (answers.write !== undefined) return answers.write;
      if (!overwrite && texts.has(path)) return { kind: "exists" };
      texts.set(path, text);
      return { kind: "written" };
    },
    async append(path, text) {
      if (answers.append !== undefined) return answers.append;
      texts.set(path, (texts.get(path) ?? "") + text);
      return { kind: "written" };
    },
    async remove(path) {
      if (answers.remove !== undefined) return answers.remove;
      return { kind: texts.delete(path) ? "removed" : "not-found" };
    },
    async list(folder, suffix) {
      const within = [...texts.keys()].flatMap((path) => {
        if (folder === "." || folder === "") return path;
        return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : [];
      });
      return within.length === 0 ? undefined : within.filter((path) => path.endsWith(suffix)).sort();
    },
  };
}
