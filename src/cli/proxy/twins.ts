// Recordings that begin with the same request. `cassette serve` would use one of two recordings and report the other as unused. It would
// use both of one run in their order, unless their clients name them.

import { resolve } from "node:path";
import { DEFAULT_MAX_FILE_BYTES, listCassettes, type CassetteV2 } from "../../cassette/index.js";
import { defined, hashJson, type FilePort, type JsonObject } from "../../core/index.js";
import { pathIn } from "../options/recordings.js";

/** A recording of an earlier run in the same folder (`twin`), or one of this run (`repeats`). */
export type Twin = { readonly twin: string } | { readonly repeats: string };

export interface Twins {
  /** Notes how a conversation begins. */
  note(conversation: number, cassette: CassetteV2): void;
  /**
   * Maps files of this run to an earlier file in `folder` with the same first request, else to one of an earlier conversation. `paths` are
   * by conversation.
   */
  find(
    folder: string | undefined,
    paths: ReadonlyMap<number, string>,
    named: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, Twin>>;
}

export function createTwins(files: FilePort): Twins {
  const begun = new Map<number, string>();
  return {
    note(conversation, cassette) {
      const hash = firstHash(cassette);
      if (hash !== undefined) begun.set(conversation, hash);
    },
    async find(folder, paths, named) {
      const inOrder = [...paths].sort(([left], [right]) => left - right);
      const own = new Set(inOrder.map(([, path]) => resolve(path)));
      const earlier = folder === undefined ? new Map<string, string>() : await readHashes(files, folder, own);
      const first = new Map<string, string>();
      const twins = new Map<string, Twin>();
      for (const [conversation, path] of inOrder) {
        const hash = begun.get(conversation) ?? "";
        const twin = earlier.get(hash);
        const repeats = named.has(path) ? undefined : first.get(hash);
        if (twin !== undefined) twins.set(path, { twin });
        else if (repeats !== undefined) twins.set(path, { repeats });
        else if (!named.has(path)) first.set(hash, path);
      }
      return twins;
    },
  };
}

/** The cassettes in the folder, except `own`, by the hash of their first request. Unreadable files are skipped. */
async function readHashes(files: FilePort, folder: string, own: ReadonlySet<string>): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const name of (await listCassettes(files, folder)) ?? []) {
    const file = pathIn(folder, name);
    const hash = own.has(resolve(file)) ? undefined : await hashIn(files, file);
    if (hash !== undefined && !found.has(hash)) found.set(hash, file);
  }
  return found;
}

async function hashIn(files: FilePort, file: string): Promise<string | undefined> {
  const read = await files.read(file, DEFAULT_MAX_FILE_BYTES);
  if (read.kind !== "read") return undefined;
  try {
    return firstHash(JSON.parse(new TextDecoder().decode(read.bytes)) as LooseCassette);
  } catch {
    return undefined;
  }
}

/** A file that may be anything. */
type LooseCassette = { entries?: { promptHash?: unknown }[]; extensions?: { exchanges?: JsonObject[] } } | null;

/** The hash of the first prompt, or of the first exchange of a cassette without turns. */
function firstHash(cassette: CassetteV2 | LooseCassette): string | undefined {
  const { entries, extensions } = (cassette ?? {}) as NonNullable<LooseCassette>;
  const hash = entries?.[0]?.promptHash;
  if (typeof hash === "string") return hash;
  const { method, path, query, request } = extensions?.exchanges?.[0] ?? {};
  return method === undefined ? undefined : hashJson(defined({ method, path, query, request }));
}
