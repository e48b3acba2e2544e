// Finds recordings of one conversation in two files. `cassette serve` would use one and report the other as unused, so the proxy names
// a second recording when it is made.

import { resolve } from "node:path";
import { CASSETTE_SUFFIX, DEFAULT_MAX_BYTES } from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import { pathIn } from "../options/recordings.js";

/** By file of `written`: another cassette in `folder` with the same first prompt. Unreadable files are skipped. */
export async function findTwins(
  files: FilePort,
  folder: string,
  written: readonly string[],
): Promise<Map<string, string>> {
  const own = new Set(written.map((file) => resolve(file)));
  const earlier = new Map<string, string>();
  for (const name of (await files.list(folder, CASSETTE_SUFFIX)) ?? []) {
    const file = pathIn(folder, name);
    const hash = own.has(resolve(file)) ? undefined : await firstPromptHash(files, file);
    if (hash !== undefined && !earlier.has(hash)) earlier.set(hash, file);
  }
  const twins = new Map<string, string>();
  for (const file of earlier.size === 0 ? [] : written) {
    const twin = earlier.get((await firstPromptHash(files, file)) ?? "");
    if (twin !== undefined) twins.set(file, twin);
  }
  return twins;
}

async function firstPromptHash(files: FilePort, file: string): Promise<string | undefined> {
  const read = await files.read(file, DEFAULT_MAX_BYTES);
  if (read.kind !== "read") return undefined;
  try {
    const cassette = JSON.parse(new TextDecoder().decode(read.bytes)) as {
      entries?: { promptHash?: unknown }[];
    } | null;
    const hash = cassette?.entries?.[0]?.promptHash;
    return typeof hash === "string" ? hash : undefined;
  } catch {
    return undefined;
  }
}
