// Bundles in files. Writing the bundle file commits a save: cassettes are written before it, under names made from their
// contents, and those of the replaced bundle are removed after it. Wherever a save stops, the bundle on disk lists cassettes that
// exist; at worst there are whole cassettes that no bundle lists.

import { defined, type FilePort } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import type { CassetteV2 } from "../file/format.js";
import { byteLength } from "../file/json.js";
import { readWhole } from "../file/read-bytes.js";
import { createCassetteStore, formatCassette, type SaveOptions } from "../trust/cassette-store.js";
import { assertMember, checkBundle, parseBundle } from "./check.js";
import { BUNDLE_SUFFIX, type AgentBundle, type BundleFile } from "./format.js";

/** Returns the path of a file in the folder of another file. Without a name, returns the folder itself. */
export type PathBeside = (path: string, name?: string) => string;

/** A bundle on a host's files. */
export interface BundlePlace {
  readonly files: FilePort;
  readonly pathBeside: PathBeside;
  readonly path: string;
  readonly maxBytes: number;
}

export async function loadBundle({ files, pathBeside, path, maxBytes }: BundlePlace): Promise<AgentBundle> {
  const missing = "Check the path, or record it first.";
  const bytes = await readWhole(files, path, { what: "bundle", maxBytes, missing });
  const bundle = parseBundle(bytes, { file: path, maxBytes });
  const store = createCassetteStore(files);
  const cassettes: [string, CassetteV2][] = [];
  for (const [id, { cassette: name }] of Object.entries(bundle.agents)) {
    const file = pathBeside(path, name);
    try {
      const cassette = await store.load(file, { maxBytes, requireIntegrity: true });
      cassettes.push([id, assertMember(bundle, id, cassette, file)]);
    } catch (error) {
      throw error instanceof CassetteError ? ofAgent(error, id, name, file) : error;
    }
  }
  return { bundle, cassettes: Object.fromEntries(cassettes) };
}

/** Adds the agent of the cassette. A missing cassette is an error of the bundle, not a mistyped path. */
function ofAgent(error: CassetteError, agentId: string, name: string, file: string): CassetteError {
  const isMissing = error.code === "file-not-found";
  const { pointer, hint } = error;
  return new CassetteError(
    isMissing ? "bundle-mismatch" : error.code,
    `${name}, the cassette of agent ${JSON.stringify(agentId)}: ${isMissing ? "it is missing" : error.summary}`,
    {
      file,
      hint: isMissing || hint === undefined ? "Restore the bundle and its cassettes together, or record again." : hint,
      ...defined({ pointer }),
      cause: error,
    },
  );
}

export async function saveBundle(place: BundlePlace, value: AgentBundle, overwrite: boolean): Promise<void> {
  const { files, pathBeside, path, maxBytes } = place;
  assertBundleName(path);
  const { bundle, cassettes } = checkBundle(value);
  const text = formatBundle(bundle);
  for (const each of [text, ...Object.values(cassettes).map(formatCassette)]) assertSize(each, path, maxBytes);
  const before = await files.read(path, overwrite ? maxBytes : 0);
  if (!overwrite && before.kind !== "not-found") throw alreadyThere(path);

  for (const [id, { cassette: name }] of Object.entries(bundle.agents)) {
    await saveCassette(files, pathBeside(path, name), cassettes[id] as CassetteV2, { overwrite, maxBytes });
  }
  const written = await files.write(path, text, { overwrite });
  if (written.kind === "exists") throw alreadyThere(path);
  if (written.kind === "failed") {
    throw new CassetteError("file-unreadable", `${path} cannot be written: ${written.message}`, { file: path });
  }
  if (before.kind === "read") await removeOld(place, before.bytes, bundle);
}

/** Keeps a file of this name with the same text, which a stopped save left or another bundle lists. */
async function saveCassette(
  files: FilePort,
  file: string,
  cassette: CassetteV2,
  { overwrite, maxBytes }: Required<SaveOptions>,
): Promise<void> {
  const there = await files.read(file, maxBytes);
  if (there.kind === "read" && new TextDecoder().decode(there.bytes) === formatCassette(cassette)) return;
  await createCassetteStore(files).save(file, cassette, { overwrite, maxBytes });
}

/** Removes the cassettes of the replaced bundle. Best effort: one that stays is a whole cassette that no bundle lists. */
async function removeOld(place: BundlePlace, before: Uint8Array, now: BundleFile): Promise<void> {
  const listed = namesOf(now);
  const old = (namesIn(before) ?? []).filter((name) => !listed.includes(name));
  if (old.length === 0) return;
  const { files, pathBeside, path } = place;
  const kept = await namesInFolder(place);
  if (kept === undefined) return;
  for (const name of old) if (!kept.has(name)) await files.remove(pathBeside(path, name));
}

/** The cassettes that the bundles of the folder list now; undefined when one of the bundles cannot be read. */
async function namesInFolder({ files, pathBeside, path, maxBytes }: BundlePlace): Promise<Set<string> | undefined> {
  const found = await files.list(pathBeside(path), BUNDLE_SUFFIX);
  if (found === undefined) return undefined;
  const kept = new Set<string>();
  for (const bundle of found.filter((name) => !name.includes("/"))) {
    const result = await files.read(pathBeside(path, bundle), maxBytes);
    const names = result.kind === "read" ? namesIn(result.bytes) : undefined;
    if (names === undefined) return undefined;
    for (const name of names) kept.add(name);
  }
  return kept;
}

/** The cassettes that a bundle lists; undefined for a bundle that cannot be trusted. */
function namesIn(bytes: Uint8Array): string[] | undefined {
  try {
    return namesOf(parseBundle(bytes));
  } catch (error) {
    if (error instanceof CassetteError) return undefined;
    throw error;
  }
}

function namesOf({ agents }: BundleFile): string[] {
  return Object.values(agents).map(({ cassette }) => cassette);
}

/** Returns the text of a bundle file: indented by two spaces, keys in the order of the format, one final newline. */
export function formatBundle({ bundleVersion, plan, path, ended, agents, unasked, bundleHash }: BundleFile): string {
  const ordered = { bundleVersion, plan, path, ended, agents, unasked, bundleHash };
  return JSON.stringify(ordered, null, 2) + "\n";
}

function assertSize(text: string, path: string, maxBytes: number): void {
  if (byteLength(text, maxBytes) <= maxBytes) return;
  const what = `${path} was not written: one of its files would have more than ${maxBytes} bytes`;
  const hint = "Raise maxBytes here and for loading, or record less in one bundle.";
  throw new CassetteError("too-large", what, { file: path, hint });
}

function assertBundleName(path: string): void {
  if (path.endsWith(BUNDLE_SUFFIX)) return;
  throw new CassetteError("invalid-options", `${path} does not end in ${BUNDLE_SUFFIX}, so nothing was written`, {
    file: path,
    hint: `Use a name that ends in ${BUNDLE_SUFFIX}: commands on a folder find only such bundles.`,
  });
}

function alreadyThere(path: string): CassetteError {
  return new CassetteError("file-exists", `${path} exists and was not changed`, {
    file: path,
    hint: "Move it away, or pass { overwrite: true } to replace it.",
  });
}
