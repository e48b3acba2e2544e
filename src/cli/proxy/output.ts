// The files of a recording proxy: one file, with numbered files next to it for further conversations, or a folder. They are written
// while the proxy runs, so that a crash loses only the last moments.

import { mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import {
  listCassettes,
  CASSETTE_SUFFIX,
  CassetteError,
  type CassetteStore,
  type CassetteV2,
} from "../../cassette/index.js";
import { sha256Hex, thrownText, type FilePort } from "../../core/index.js";
import { CliError } from "../errors.js";
import { MAX_REPLACED_BYTES } from "../limits.js";
import { pathIn } from "../options/recordings.js";
import { nameOfPrompt } from "./names.js";
import { createTwins, type Twin } from "./twins.js";

export interface ProxyOutput {
  /** Reserves a name for a client. Resolves to the reason if the client cannot have it. */
  claim(name: string): Promise<string | undefined>;
  /** Makes the folder. Throws if the file may not be replaced or the folder cannot be made. Call it before anything is spent. */
  check(): Promise<void>;
  /**
   * Writes a conversation so far, always to the same file, and returns the path. In a folder, the file is named `name`, or after the
   * first words of the user. A name in use gets a number, so that no recording is lost. A name that a client gave goes to its
   * conversation, and a conversation without a name moves away. Several may be written at once. Rejects with `CassetteError`.
   */
  write(conversation: number, cassette: CassetteV2, name?: string): Promise<string>;
  /** Files of an earlier recording that `overwrite` allowed to replace, but no conversation replaced. */
  stale(): string[];
  /** Maps written files to another recording that begins with the same prompt. */
  twins(): Promise<ReadonlyMap<string, Twin>>;
}

export interface ProxyPlace {
  readonly files: FilePort;
  readonly store: CassetteStore;
  readonly cwd: string;
  /** True replaces files that existed when the proxy started. */
  readonly overwrite: boolean;
  /** Called for a conversation whose file was renamed. */
  readonly moved?: (conversation: number) => void;
}

/** `out` is a folder if it ends with a slash or exists as a folder. */
export async function createProxyOutput(out: string, place: ProxyPlace): Promise<ProxyOutput> {
  const { files, store } = place;
  const before = await listCassettes(files, out);
  const isFolder = /[\\/]$/.test(out) || before !== undefined;
  if (!isFolder) assertSuffix(out);
  const replaceable = place.overwrite ? await fingerprints(files, out, before) : new Map<string, string>();
  const taken = new Map<number, string>();
  const numbers = createNumbers();
  /** Files whose names clients gave. */
  const claimed = new Set<string>();
  const writes = createWrites();
  const twins = createTwins(files);
  /** The last conversation that moved away from a name. */
  let moving: Promise<unknown> = Promise.resolve();

  /** Writes a conversation for the first time, or under a new name. */
  const settle = async (conversation: number, cassette: CassetteV2, name: string | undefined): Promise<string> => {
    const { base, first } = isFolder ? baseIn(out, name ?? nameOfPrompt(cassette)) : baseOf(out);
    for (;;) {
      const number = numbers.take(base);
      const path = numbered(base, number, first);
      if (name === undefined && claimed.has(path)) continue;
      const isSaved = await saveNew(path, cassette, replaceable, place).catch((error: unknown) => {
        numbers.giveBack(base, number);
        throw error;
      });
      if (!isSaved) continue;
      taken.set(conversation, path);
      return path;
    }
  };

  /** Gives the name to the conversation. Its holder is written under another name before its old file is replaced. */
  const replaceHolder = async (holder: number, wanted: string, conversation: number, cassette: CassetteV2) => {
    await writes.ended();
    await settle(holder, (await store.load(wanted)) as CassetteV2, undefined);
    place.moved?.(holder);
    await store.save(wanted, cassette, { overwrite: true });
    taken.set(conversation, wanted);
    return wanted;
  };

  return {
    async claim(name) {
      if (!isFolder) return "all recordings go to one file; pass a folder as --out";
      const path = join(out, `${name}${CASSETTE_SUFFIX}`);
      if (claimed.has(path)) return undefined;
      const isFree = () => [replaceable, claimed].some((set) => set.has(path)) || [...taken.values()].includes(path);
      if (!isFree() && (await files.read(path, 0)).kind !== "not-found") {
        await writes.ended();
        if (!isFree()) return `${path} exists; record with --refresh to replace it, or delete it`;
      }
      claimed.add(path);
      return undefined;
    },
    async check() {
      await makeFolder(isFolder ? out : dirname(out), place.cwd);
      if (!isFolder) await assertFree(out, place);
    },
    write(conversation, cassette, name) {
      const own = taken.get(conversation);
      twins.note(conversation, cassette);
      if (own !== undefined) return writes.track(store.save(own, cassette, { overwrite: true }).then(() => own));
      const wanted = name === undefined ? undefined : join(out, `${name}${CASSETTE_SUFFIX}`);
      const [holder] = [...taken].find(([, path]) => path === wanted && claimed.has(path)) ?? [];
      if (wanted === undefined || holder === undefined) return writes.track(settle(conversation, cassette, name));
      const move = moving.then(() => replaceHolder(holder, wanted, conversation, cassette));
      moving = move.catch(() => undefined);
      return move;
    },
    stale: () => [...replaceable.keys()],
    twins: () => twins.find(isFolder ? out : undefined, taken, claimed),
  };
}

function assertSuffix(out: string): void {
  if (out.endsWith(CASSETTE_SUFFIX)) return;
  const hint = `Use ${out}${CASSETTE_SUFFIX}, or ${out}/ for a folder.`;
  throw new CliError("usage", `--out ${JSON.stringify(out)} does not end in ${CASSETTE_SUFFIX}`, hint);
}

/** Numbers for the files of one name. A number is taken before its write, since another write may begin before that ends. */
function createNumbers() {
  const next = new Map<string, number>();
  return {
    take(base: string): number {
      const number = next.get(base) ?? 1;
      next.set(base, number + 1);
      return number;
    },
    giveBack(base: string, number: number): void {
      if (next.get(base) === number + 1) next.set(base, number);
    },
  };
}

/** Writes that have begun. Until a first write ends, its file exists but belongs to no conversation. */
function createWrites() {
  const open = new Set<Promise<unknown>>();
  return {
    track<T>(write: Promise<T>): Promise<T> {
      open.add(write);
      void write.catch(() => undefined).then(() => open.delete(write));
      return write;
    },
    ended: () => Promise.allSettled(open),
  };
}

function baseOf(file: string): { base: string; first: number } {
  return { base: file.slice(0, -CASSETTE_SUFFIX.length), first: 2 };
}

/** The path of a file in the folder without its suffix, and the first number that is written into it. */
function baseIn(folder: string, name: string | undefined): { base: string; first: number } {
  return name === undefined ? { base: join(folder, "conversation"), first: 1 } : { base: join(folder, name), first: 2 };
}

/** Returns false if the file exists. Replaces a file only if it is unchanged since the start, since another proxy may write here too. */
async function saveNew(
  path: string,
  cassette: CassetteV2,
  replaceable: Map<string, string>,
  { files, store }: ProxyPlace,
): Promise<boolean> {
  const print = replaceable.get(path);
  replaceable.delete(path);
  const mayReplace = print !== undefined && (await fingerprint(files, path)) === print;
  try {
    await store.save(path, cassette, { overwrite: mayReplace });
    return true;
  } catch (error) {
    if (error instanceof CassetteError && error.code === "file-exists") return false;
    throw error;
  }
}

async function assertFree(out: string, { files, overwrite }: ProxyPlace): Promise<void> {
  const read = await files.read(out, 0);
  if (read.kind === "not-found") return;
  if (read.kind === "failed") throw new CassetteError("file-unreadable", `${out}: ${read.message}`, { file: out });
  if (overwrite) return;
  const hint = "Move it away, or pass --refresh to replace it.";
  throw new CassetteError("file-exists", `${out} exists and was left unchanged`, { file: out, hint });
}

async function makeFolder(folder: string, cwd: string): Promise<void> {
  try {
    await mkdir(resolve(cwd, folder), { recursive: true });
  } catch (error) {
    const why = `cannot make the folder ${folder}: ${thrownText(error)}`;
    throw new CassetteError("file-unreadable", why, { file: folder, hint: "Choose another --out." });
  }
}

/** Hashes of the files at the start: those directly in the folder if its `names` are given, else the file and its numbered files. */
async function fingerprints(
  files: FilePort,
  out: string,
  names: readonly string[] | undefined,
): Promise<Map<string, string>> {
  const inFolder = names?.filter((name) => !name.includes("/")).map((name) => pathIn(out, name));
  const found = new Map<string, string>();
  for (const path of inFolder ?? (await existing(files, out))) {
    const print = await fingerprint(files, path);
    if (print !== undefined) found.set(path, print);
  }
  return found;
}

async function fingerprint(files: FilePort, path: string): Promise<string | undefined> {
  const read = await files.read(path, MAX_REPLACED_BYTES);
  return read.kind === "read" ? sha256Hex(Buffer.from(read.bytes).toString("latin1")) : undefined;
}

/** The file and its numbered files, up to the first free number. */
async function existing(files: FilePort, out: string): Promise<string[]> {
  const found: string[] = [];
  for (let number = 1; ; number++) {
    const path = numbered(out.slice(0, -CASSETTE_SUFFIX.length), number, 2);
    const { kind } = await files.read(path, 0);
    if (kind === "not-found" || kind === "failed") return found;
    found.push(path);
  }
}

/** `run.cassette.json`, `run-2.cassette.json` and so on. Numbers below `first` are not written. */
function numbered(base: string, number: number, first: number): string {
  return `${base}${number < first ? "" : `-${number}`}${CASSETTE_SUFFIX}`;
}
