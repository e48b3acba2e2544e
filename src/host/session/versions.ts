// The files of one session. `v<N>-<token>.json` holds the state of version N. `v<N>-<token>.head` says that this version is the present
// one. A commit writes its state, and then renames the present head to its own. A rename fails if another process was first, so a commit
// knows whether it was kept, however long it was paused. A killed process leaves the old version or the new.
// `first.json` is written once and names the head of version 0, which has no state. A deleted session has the head `v<N>-none.head`.

import { join } from "node:path";
import {
  decodeUtf8,
  findTooDeep,
  isPlainObject,
  MAX_JSON_DEPTH,
  storeFailed,
  thrownText,
  type FilePort,
  type JsonValue,
} from "../../core/index.js";
import type { FileRename } from "../files/write.js";
import { MAX_SESSION_FILE_BYTES, MAX_SESSION_LOOKS } from "../limits.js";

/** Files that can be renamed within their folder. */
export interface VersionFiles extends FilePort {
  /** If several callers rename the same file, one succeeds. */
  rename(path: string, name: string): Promise<FileRename>;
}

/** The newest version. Number 0 is that of a session which was never stored. */
export interface Present {
  readonly number: number;
  /** Undefined if there is no session: it was never stored, or deleted. */
  readonly stored: { readonly state: JsonValue } | undefined;
  /** Name of the file that says so. Undefined if the session has no files. */
  readonly head: string | undefined;
}

/** The version that a commit or a delete puts in the place of the present one. A delete has no text. */
export interface Next {
  readonly token: string;
  readonly text: string | undefined;
}

const FIRST = "first.json";
const NAME = /^v(0|[1-9]\d{0,14})-([0-9a-f]+|none)\.(head|json)$/;
const DELETED = "none";

interface VersionFile {
  readonly name: string;
  readonly number: number;
  readonly token: string;
  readonly isHead: boolean;
}

async function listVersions(files: FilePort, folder: string): Promise<VersionFile[]> {
  const names = (await files.list(folder, "")) ?? [];
  return names.flatMap((name) => {
    const [, number, token, kind] = NAME.exec(name) ?? [];
    return token === undefined ? [] : [{ name, number: Number(number), token, isHead: kind === "head" }];
  });
}

const headName = (number: number, token: string) => `v${number}-${token}.head`;
const stateName = (number: number, token: string) => `v${number}-${token}.json`;

export async function readPresent(files: FilePort, folder: string): Promise<Present> {
  let missing: string | undefined;
  let isHeadless = false;
  for (let look = 0; look < MAX_SESSION_LOOKS; look++) {
    const listed = await listVersions(files, folder);
    const head = listed.filter((file) => file.isHead).reduce(newer, undefined);
    if (head === undefined || head.number === 0) {
      const token = await readFirst(files, folder);
      if (token === undefined) return { number: 0, stored: undefined, head: undefined };
      const name = headName(0, token);
      if (listed.some((file) => file.name === name)) return { number: 0, stored: undefined, head: name };
      // The list has missed the head, because another process renamed it meanwhile.
      isHeadless = true;
      continue;
    }
    isHeadless = false;
    const { number, token, name } = head;
    if (token === DELETED) return { number, stored: undefined, head: name };
    const path = join(folder, stateName(number, token));
    const content = await readObject(files, path);
    if (content !== undefined) return { number, stored: { state: toState(path, content) }, head: name };
    // A version that another process has replaced is not there the next time.
    if (missing === name) throw damaged(path, new TypeError("it is missing"));
    missing = name;
  }
  if (isHeadless) throw damaged(join(folder, FIRST), new TypeError("the head that belongs to it is missing"));
  throw busy(folder);
}

function newer(most: VersionFile | undefined, file: VersionFile): VersionFile {
  return most === undefined || file.number > most.number ? file : most;
}

/** The error for a session that changed each time one call read it. */
export function busy(folder: string) {
  const what = `the session in ${folder} changed ${MAX_SESSION_LOOKS} times during one call`;
  return storeFailed(what, "Try again.", { retryable: true });
}

/** The token of the head of version 0. Undefined if the session has never been stored. */
async function readFirst(files: FilePort, folder: string): Promise<string | undefined> {
  const path = join(folder, FIRST);
  const token = (await readObject(files, path))?.["token"];
  if (token === undefined || (typeof token === "string" && NAME.test(headName(0, token)))) return token;
  throw damaged(path, new TypeError("its token is malformed"));
}

function toState(path: string, content: Readonly<Record<string, unknown>>): JsonValue {
  if (Object.hasOwn(content, "state")) return content["state"] as JsonValue;
  throw damaged(path, new TypeError("it has no state"));
}

async function readObject(files: FilePort, path: string): Promise<Record<string, unknown> | undefined> {
  const found = await files.read(path, MAX_SESSION_FILE_BYTES);
  if (found.kind === "not-found") return undefined;
  if (found.kind === "failed") throw fileFailed("read", path, found.message);
  try {
    if (found.kind === "too-large")
      throw new TypeError(`it has ${found.size} bytes, and the limit is ${MAX_SESSION_FILE_BYTES}`);
    const text = decodeUtf8(found.bytes);
    if (text === undefined) throw new TypeError("it is not UTF-8");
    // The state is one level below the top.
    if (findTooDeep(text, MAX_JSON_DEPTH + 1) !== undefined) throw new TypeError("it is nested too deep");
    const content = JSON.parse(text) as unknown;
    if (!isPlainObject(content)) throw new TypeError("it is not a JSON object");
    return content;
  } catch (error) {
    throw damaged(path, error);
  }
}

function damaged(path: string, cause: unknown) {
  const hint = "Restore the file from a copy, or remove its folder to begin the session again.";
  return storeFailed(`the session file ${path} is damaged: ${thrownText(cause)}`, hint, { cause });
}

/** Puts `next` in the place of `present`. False if another process was first. */
export async function writeNext(
  files: VersionFiles,
  folder: string,
  present: Present,
  { token, text }: Next,
): Promise<boolean> {
  const head = present.head ?? (await begin(files, folder, token));
  if (head === undefined) return false;
  const number = present.number + 1;
  const state = join(folder, stateName(number, token));
  if (text !== undefined && !(await writeNew(files, state, text))) return false;
  const name = headName(number, text === undefined ? DELETED : token);
  const renamed = await files.rename(join(folder, head), name);
  if (renamed.kind === "failed") throw fileFailed("rename", join(folder, head), renamed.message);
  if (renamed.kind === "not-found") await files.remove(state);
  else await removeOld(files, folder, { number, token });
  return renamed.kind === "renamed";
}

/** Makes the head of version 0, and returns its name. Undefined if another process has done so. */
async function begin(files: FilePort, folder: string, token: string): Promise<string | undefined> {
  const head = headName(0, token);
  if (!(await writeNew(files, join(folder, head), ""))) return undefined;
  const isFirst = await writeNew(files, join(folder, FIRST), JSON.stringify({ token }));
  if (!isFirst) await files.remove(join(folder, head));
  return isFirst ? head : undefined;
}

async function writeNew(files: FilePort, path: string, text: string): Promise<boolean> {
  const written = await files.write(path, text, { overwrite: false, mode: 0o600 });
  if (written.kind === "failed") throw fileFailed("write", path, written.message);
  return written.kind === "written";
}

/** Removes what cannot become the present version any more. What cannot be removed now is removed after a later version. */
async function removeOld(files: FilePort, folder: string, kept: { number: number; token: string }): Promise<void> {
  for (const { name, number, token, isHead } of await listVersions(files, folder)) {
    const isOther = !isHead && number === kept.number && token !== kept.token;
    if (number < kept.number || isOther) await files.remove(join(folder, name));
  }
}

function fileFailed(what: string, path: string, message: string) {
  const hint = "Check the disk and the permissions of the folder.";
  return storeFailed(`cannot ${what} ${path}: ${message}`, hint, { retryable: true });
}
