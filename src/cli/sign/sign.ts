// `cassette sign`: signs every cassette that verifies and goes on after one that does not.

import {
  addSignature,
  createCassetteStore,
  ENVELOPE_SUFFIX,
  formatEnvelope,
  readEnvelope,
  signCassette,
  type CassetteStore,
  type CassetteV2,
} from "../../cassette/index.js";
import { keyIdOf, toBase64, type FilePort, type SigningKeyObject } from "../../core/index.js";
import { exitCodeForAll, toFailure, type Failure } from "../errors.js";
import { writeText } from "../options/file.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { createPrinter, toJsonError, writeJson } from "../terminal/output.js";
import { loadRecording } from "../options/recordings.js";
import { readPrivateKey } from "./key.js";

export interface SignOptions {
  key: string;
  json?: boolean;
}

type Signed =
  /** `added`: a further signature, in `envelope`. `unchanged`: this key has signed it already. */
  | { file: string; status: "signed" | "unchanged" }
  | { file: string; status: "added"; envelope: string }
  | { file: string; status: "failed"; failure: Failure };

/** Signs all files; exits 3 if one was refused, else 2 if one could not be read or written. */
export async function sign(paths: readonly string[], options: SignOptions, io: CommandIo): Promise<void> {
  const files = filesAt(io);
  const store = createCassetteStore(files);
  const key = await readPrivateKey(files, options.key, io);
  const results: Signed[] = [];
  for (const file of new Set(paths)) {
    try {
      results.push(await signFile(files, store, file, key));
    } catch (error) {
      results.push({ file, status: "failed", failure: toFailure(error, file) });
    }
  }

  const exitCode = exitCodeForAll(results.flatMap((result) => (result.status === "failed" ? [result.failure] : [])));
  io.exit(exitCode);
  const keyId = keyIdOf(key.publicKey);
  if (options.json === true) {
    const listed = results.map((result) => {
      if (result.status !== "failed") return result;
      return { file: result.file, status: result.status, error: toJsonError(result.failure) };
    });
    writeJson(io, "sign", exitCode, { keyId, files: listed });
    return;
  }
  const line = createPrinter(io);
  for (const result of results) {
    const look = result.status === "failed" ? "bad" : "good";
    line({ look, text: result.status.padEnd(11) }, result.file, `  ${describe(result, keyId)}`);
  }
}

function describe(result: Signed, keyId: string): string {
  switch (result.status) {
    case "signed":
      return `by key ${keyId}`;
    case "unchanged":
      return `key ${keyId} has signed it already`;
    case "added":
      return `by key ${keyId}, in ${result.envelope}`;
    case "failed":
      return `${result.failure.code}: ${result.failure.message}`;
  }
}

async function signFile(files: FilePort, store: CassetteStore, file: string, key: SigningKeyObject): Promise<Signed> {
  const loaded = await loadRecording(store, file, { requireIntegrity: true });
  if (loaded.kind === "failed") return { file, status: "failed", failure: loaded.failure };
  const cassette = loaded.cassette as CassetteV2;
  if (cassette.signature === undefined) {
    await store.save(file, await signCassette(cassette, key), { overwrite: true });
    return { file, status: "signed" };
  }
  if (cassette.signature.publicKey === toBase64(key.publicKey)) return { file, status: "unchanged" };
  const before = await readEnvelope(files, file);
  const after = await addSignature(cassette, key, before);
  if (before?.signatures.length === after.signatures.length) return { file, status: "unchanged" };
  const envelope = file + ENVELOPE_SUFFIX;
  const hint = "Check the folder and its permissions.";
  await writeText(files, envelope, formatEnvelope(after), { code: "envelope-not-written", overwrite: true, hint });
  return { file, status: "added", envelope };
}
