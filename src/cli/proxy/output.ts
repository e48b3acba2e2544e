// Where the cassettes of a proxy go: one file, and numbered ones beside it for further conversations, or a folder. They are
// written while the proxy runs, so that a crash loses the last moments and not the day.

import { mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { CASSETTE_SUFFIX, CassetteError, type CassetteStore, type CassetteV2 } from "../../cassette/index.js";
import { sha256Hex, type FilePort } from "../../core/index.js";
import { CliError } from "../errors.js";

export interface ProxyOutput {
  /** Makes the folder. Throws, before anything was spent, where the file is there and may not be replaced, or the place is none. */
  check(): Promise<void>;
  /**
   * Writes what a conversation holds by now, each time to the same file, and gives its path. A name that is taken is passed
   * over, so that no recording is lost. Throws `CassetteError`.
   */
  write(conversation: number, cassette: CassetteV2): Promise<string>;
  /** Files of an earlier recording that were to be replaced and were not. */
  stale(): string[];
}

export interface ProxyPlace {
  readonly files: FilePort;
  readonly store: CassetteStore;
  readonly cwd: string;
  /** Replace what was there when the proxy started. */
  readonly overwrite: boolean;
}

/** `out` is a folder when it ends with a slash or is one already. */
export async function createProxyOutput(out: string, place: ProxyPlace): Promise<ProxyOutput> {
  const { files, store, overwrite } = place;
  const isFolder = /[\\/]$/.test(out) || (await files.list(out, CASSETTE_SUFFIX)) !== undefined;
  if (!isFolder && !out.endsWith(CASSETTE_SUFFIX)) {
    const hint = `Call it ${out}${CASSETTE_SUFFIX}, or ${out}/ for a folder.`;
    throw new CliError("usage", `--out ${JSON.stringify(out)} does not end in ${CASSETTE_SUFFIX}`, hint);
  }
  const nameOf = (number: number): string =>
    isFolder ? join(out, `conversation-${number}${CASSETTE_SUFFIX}`) : numbered(out, number);
  const replaceable = overwrite ? await fingerprints(files, nameOf) : new Map<string, string>();
  const taken = new Map<number, string>();
  let number = 1;

  /** Only what is still as it was at the start is replaced: another proxy may write beside this one. */
  const save = async (path: string, cassette: CassetteV2): Promise<boolean> => {
    const before = replaceable.get(path);
    replaceable.delete(path);
    const mayReplace = before !== undefined && (await fingerprint(files, path)) === before;
    try {
      await store.save(path, cassette, { overwrite: mayReplace });
      return true;
    } catch (error) {
      if (error instanceof CassetteError && error.code === "file-exists") return false;
      throw error;
    }
  };

  return {
    async check() {
      await makeFolder(isFolder ? out : dirname(out), place.cwd);
      if (isFolder) return;
      const read = await files.read(out, 0);
      if (read.kind === "not-found") return;
      if (read.kind === "failed") throw new CassetteError("file-unreadable", `${out}: ${read.message}`, { file: out });
      if (overwrite) return;
      throw new CassetteError("file-exists", `${out} exists and was left as it is`, {
        file: out,
        hint: "Move it away, or pass --refresh to replace it.",
      });
    },
    async write(conversation, cassette) {
      const own = taken.get(conversation);
      if (own !== undefined) {
        await store.save(own, cassette, { overwrite: true });
        return own;
      }
      while (!(await save(nameOf(number), cassette))) number++;
      const path = nameOf(number++);
      taken.set(conversation, path);
      return path;
    },
    stale: () => [...replaceable.keys()],
  };
}

/** Throws `file-unreadable` where the folder cannot be made. */
async function makeFolder(folder: string, cwd: string): Promise<void> {
  try {
    await mkdir(resolve(cwd, folder), { recursive: true });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CassetteError("file-unreadable", `${folder} cannot be written to: ${why}`, {
      file: folder,
      hint: "Choose another --out.",
    });
  }
}

const MAX_REPLACED_BYTES = 256 * 1024 * 1024;

/** What is there at the start, by name, from the first number up to the first that is free. */
async function fingerprints(files: FilePort, nameOf: (number: number) => string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (let number = 1; ; number++) {
    const print = await fingerprint(files, nameOf(number));
    if (print === undefined) return found;
    found.set(nameOf(number), print);
  }
}

async function fingerprint(files: FilePort, path: string): Promise<string | undefined> {
  const read = await files.read(path, MAX_REPLACED_BYTES);
  return read.kind === "read" ? sha256Hex(Buffer.from(read.bytes).toString("latin1")) : undefined;
}

/** `run.cassette.json`, `run-2.cassette.json` … */
function numbered(out: string, number: number): string {
  if (number === 1) return out;
  return `${out.slice(0, -CASSETTE_SUFFIX.length)}-${number}${CASSETTE_SUFFIX}`;
}
