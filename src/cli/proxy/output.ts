// Where the cassettes of a proxy go: one file, and numbered ones beside it for further conversations, or a folder.

import { join } from "node:path";
import { CASSETTE_SUFFIX, CassetteError, type CassetteStore, type CassetteV2 } from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";

export interface ProxyOutput {
  /** Throws `file-exists` before anything was spent, where the file is there and may not be replaced. */
  check(): Promise<void>;
  /** Writes them and gives their paths. A name that is taken is passed over, so that no recording is lost. */
  write(cassettes: readonly CassetteV2[]): Promise<string[]>;
}

/** `out` is a folder when it ends with a slash or is one already. */
export async function createProxyOutput(
  out: string,
  { files, store, overwrite }: { files: FilePort; store: CassetteStore; overwrite: boolean },
): Promise<ProxyOutput> {
  const isFolder = /[\\/]$/.test(out) || (await files.list(out, CASSETTE_SUFFIX)) !== undefined;
  const nameOf = (number: number): string =>
    isFolder ? join(out, `conversation-${number}${CASSETTE_SUFFIX}`) : numbered(out, number);

  return {
    async check() {
      if (isFolder || overwrite || (await files.read(out, 0)).kind === "not-found") return;
      throw new CassetteError("file-exists", `${out} exists and was left as it is`, {
        file: out,
        hint: "Move it away, or pass --refresh to replace it.",
      });
    },
    async write(cassettes) {
      const paths: string[] = [];
      let number = 1;
      for (const cassette of cassettes) {
        while (!(await save(store, nameOf(number), cassette, overwrite))) number++;
        paths.push(nameOf(number++));
      }
      return paths;
    },
  };
}

async function save(store: CassetteStore, path: string, cassette: CassetteV2, overwrite: boolean): Promise<boolean> {
  try {
    await store.save(path, cassette, { overwrite });
    return true;
  } catch (error) {
    if (error instanceof CassetteError && error.code === "file-exists") return false;
    throw error;
  }
}

/** `run.cassette.json`, `run-2.cassette.json` … */
function numbered(out: string, number: number): string {
  if (number === 1) return out;
  const ending = out.endsWith(CASSETTE_SUFFIX) ? CASSETTE_SUFFIX : (/\.[^./\\]*$/.exec(out)?.[0] ?? "");
  return `${out.slice(0, out.length - ending.length)}-${number}${ending}`;
}
