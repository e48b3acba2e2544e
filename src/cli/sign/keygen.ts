// `cassette keygen`: the private key goes into a file that its owner alone may read, and is never printed.

import { generateKeyPairSync } from "node:crypto";
import { keyIdOf, readPublicKey, toBase64 } from "../../core/index.js";
import { CliError } from "../errors.js";
import { EXIT } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { createNotes, writeJson } from "../terminal/output.js";

/** The flags of `cassette keygen`, as commander gives them. */
export interface KeygenOptions {
  out: string;
  json?: boolean;
}

/** Makes one key. Throws {@link CliError} `key-not-written` rather than replace a file. */
export async function keygen({ out, json }: KeygenOptions, io: CommandIo): Promise<void> {
  const file = out.endsWith(".pem") ? out : `${out}.pem`;
  const pair = generateKeyPairSync("ed25519", {
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const bytes = readPublicKey(pair.publicKey);
  const key = { keyId: keyIdOf(bytes), publicKey: toBase64(bytes) };
  const result = await filesAt(io).write(file, pair.privateKey, { overwrite: false, mode: 0o600 });
  switch (result.kind) {
    case "written":
      break;
    case "exists":
      throw new CliError("key-not-written", `${file} exists and was left as it is`, "Choose another --out.", file);
    case "failed":
      throw new CliError("key-not-written", `${file} cannot be written: ${result.message}`, "Check the folder.", file);
  }
  if (json === true) {
    writeJson(io, "keygen", EXIT.ok, { file, ...key });
    return;
  }
  io.stdout(`${JSON.stringify({ keys: [key] }, null, 2)}\n`);
  createNotes(io)(
    `private key written to ${file}; keep it out of version control. Above is its public key, as a trust file.`,
  );
}
