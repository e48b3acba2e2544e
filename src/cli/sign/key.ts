// Reads a private key for `--key` from a file or a variable. The argument itself cannot be a key, because every user of the machine can
// read it.

import { resolveSigningKey } from "../../cassette/index.js";
import type { FilePort, SigningKeyObject } from "../../core/index.js";
import { CliError } from "../errors.js";
import { MAX_KEY_FILE_BYTES } from "../limits.js";
import type { CommandIo } from "../terminal/io.js";

const HINT = "Give the path of a PEM file (npx playhead keygen makes one), or env:NAME.";

/** Has its own hint: the library suggests to pass the key itself. */
function readVariable(name: string, env: CommandIo["env"]): SigningKeyObject {
  const value = Object.hasOwn(env, name) ? (env[name] ?? "") : "";
  if (value !== "") return resolveSigningKey(value);
  const hint = "Set it to the text of a PEM file (npx playhead keygen makes one) or a seed of 32 bytes.";
  throw new CliError("key-unreadable", `--key names the variable ${name}, which is not set`, hint);
}

/** Throws {@link CliError} `key-unreadable`, and `CassetteError` `invalid-options` for anything but a private key. */
export async function readPrivateKey(files: FilePort, key: string, { env }: CommandIo): Promise<SigningKeyObject> {
  if (key.startsWith("env:")) return readVariable(key.slice("env:".length), env);
  const result = await files.read(key, MAX_KEY_FILE_BYTES);
  switch (result.kind) {
    case "read":
      return resolveSigningKey(new TextDecoder().decode(result.bytes));
    // The argument may be the key itself by mistake, so the message does not repeat it.
    case "not-found":
      throw new CliError("key-unreadable", "--key is neither an existing file nor env:NAME", HINT);
    case "too-large":
      throw new CliError("key-unreadable", `the file of --key has ${result.size} bytes`, HINT);
    case "failed":
      throw new CliError("key-unreadable", "the file of --key cannot be read", HINT);
  }
}
