// `cassette attest`: prints the statement to stdout, so that a shell can redirect it.

import { basename } from "node:path";
import { attestCassette, CassetteError, DEFAULT_MAX_FILE_BYTES, signStatement } from "../../cassette/index.js";
import { toVisibleJson, type FilePort } from "../../core/index.js";
import { EXIT } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { writeJson } from "../terminal/output.js";
import { readPrivateKey } from "./key.js";

export interface AttestOptions {
  key?: string;
  json?: boolean;
}

/** Prints one statement, or one envelope. Throws `CassetteError` for a cassette that does not verify. */
export async function attest(file: string, { key, json }: AttestOptions, io: CommandIo): Promise<void> {
  const files = filesAt(io);
  const signer = key === undefined ? undefined : await readPrivateKey(files, key, io);
  const statement = attestCassette(await readFile(files, file), basename(file), file);
  const attestation = signer === undefined ? statement : await signStatement(statement, signer);
  if (json === true) {
    writeJson(io, "attest", EXIT.ok, { file, attestation });
    return;
  }
  io.stdout(`${toVisibleJson(JSON.stringify(attestation, null, 2))}\n`);
}

async function readFile(files: FilePort, file: string): Promise<Uint8Array> {
  const result = await files.read(file, DEFAULT_MAX_FILE_BYTES);
  switch (result.kind) {
    case "read":
      return result.bytes;
    case "not-found":
      throw new CassetteError("file-not-found", `there is no cassette at ${file}`, { file, hint: "Check the path." });
    case "too-large":
      throw new CassetteError("too-large", `${file} has ${result.size} bytes`, { file });
    case "failed":
      throw new CassetteError("file-unreadable", `${file} cannot be read: ${result.message}`, { file });
  }
}
