// Sessions in a folder: one folder for each session, named by the hash of its key.

import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import {
  AgentError,
  assertObjects,
  assertStoreId,
  ownStoredValue,
  sha256Hex,
  showValue,
  type SessionStore,
  type StoredSession,
} from "../../core/index.js";
import { nodeFiles } from "../files.js";
import { MAX_SESSION_LOOKS } from "../limits.js";
import { renameFlushed } from "../files/write.js";
import { busy, readPresent, writeNext, type VersionFiles } from "./versions.js";

/**
 * Keeps the sessions of an agent in a folder. Several processes may share it on one machine. It keeps snapshots only: background work
 * needs an execution host. The constructor throws `AgentError` `invalid-options` for a path that cannot be a folder.
 */
export class FileSessionStore implements SessionStore {
  readonly #folder: string;
  readonly #files: VersionFiles;

  /** `files` is for tests. */
  constructor(folder: string, files: VersionFiles = { ...nodeFiles(), rename: renameFlushed }) {
    if (typeof folder !== "string" || folder === "" || folder.includes("\0")) {
      throw new AgentError("invalid-options", `FileSessionStore cannot keep sessions in ${showValue(folder)}`, {
        hint: "Pass the path of a folder.",
      });
    }
    this.#folder = resolve(folder);
    this.#files = files;
  }

  async load(key: string): Promise<StoredSession | null> {
    const { number, stored } = await readPresent(this.#files, this.#folderOf(key));
    return stored === undefined ? null : { state: stored.state, version: String(number) };
  }

  async commit(...[key, next, options]: Parameters<SessionStore["commit"]>) {
    assertObjects("commit(key, { state }, { expectedVersion })", next, options);
    const folder = this.#folderOf(key);
    const present = await readPresent(this.#files, folder);
    const version = present.stored === undefined ? null : String(present.number);
    if (version !== options.expectedVersion) return { ok: false, reason: "conflict" } as const;
    const state = ownStoredValue(`the state of session ${JSON.stringify(key)}`, next.state);
    const text = JSON.stringify({ key, state });
    const isKept = await writeNext(this.#files, folder, present, { token: newToken(), text });
    if (!isKept) return { ok: false, reason: "conflict" } as const;
    return { ok: true, version: String(present.number + 1) } as const;
  }

  async delete(key: string): Promise<void> {
    const folder = this.#folderOf(key);
    for (let look = 0; look < MAX_SESSION_LOOKS; look++) {
      const present = await readPresent(this.#files, folder);
      if (present.stored === undefined) return;
      if (await writeNext(this.#files, folder, present, { token: newToken(), text: undefined })) return;
    }
    throw busy(folder);
  }

  async version(key: string): Promise<string | null> {
    return (await this.load(key))?.version ?? null;
  }

  #folderOf(key: string): string {
    assertStoreId("key", key);
    return join(this.#folder, sha256Hex(key));
  }
}

function newToken(): string {
  return randomBytes(6).toString("hex");
}
