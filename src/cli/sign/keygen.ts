// `cassette keygen`: writes the private key to a file that only its owner can read, and never prints it.

import { generateKeyPairSync } from "node:crypto";
import { keyIdOf, readPublicKey, toBase64 } from "../../core/index.js";
import { writeText } from "../options/file.js";
import { EXIT } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { createNotes, writeJson } from "../terminal/output.js";

export interface KeygenOptions {
  out: string;
  json?: boolean;
}

/** Throws {@link CliError} `key-not-written` instead of replacing a file. */
export async function keygen({ out, json }: KeygenOptions, io: CommandIo): Promise<void> {
  const file = out.endsWith(".pem") ? out : `${out}.pem`;
  const pair = generateKeyPairSync("ed25519", {
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const bytes = readPublicKey(pair.publicKey);
  const key = { keyId: keyIdOf(bytes), publicKey: toBase64(bytes) };
  const settings = { code: "key-not-written", overwrite: false, mode: 0o600, taken: "Choose another --out." } as const;
  await writeText(filesAt(io), file, pair.privateKey, settings);
  if (json === true) {
    writeJson(io, "keygen", EXIT.ok, { file, ...key });
    return;
  }
  io.stdout(`${JSON.stringify({ keys: [key] }, null, 2)}\n`);
  createNotes(io)(
    `private key written to ${file}. Keep it out of version control. The trust file above has its public key.`,
  );
}
