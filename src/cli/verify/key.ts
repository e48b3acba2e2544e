// Reads a public key for `--key` from a file, from the argument itself, or from a variable.

import { readPublicKey, type FilePort } from "../../core/index.js";
import { usageError } from "../errors.js";
import { MAX_KEY_FILE_BYTES } from "../limits.js";

const HINT = "Give the path of a PEM file, 32 bytes as hexadecimal or base64, or env:NAME.";

/** Throws {@link CliError} `usage`, and `AgentError` `invalid-options` for a file or a variable without a public key. */
export async function readKey(
  files: FilePort,
  key: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Uint8Array> {
  if (key.startsWith("env:")) {
    const text = env[key.slice(4)];
    if (text !== undefined && text !== "") return readPublicKey(text);
    throw usageError(`--key names the variable ${key.slice(4)}, which is not set`, HINT);
  }
  const result = await files.read(key, MAX_KEY_FILE_BYTES);
  if (result.kind === "read") return readPublicKey(new TextDecoder().decode(result.bytes));
  if (result.kind === "too-large") throw usageError(`the file of --key has ${result.size} bytes`, HINT);
  try {
    return readPublicKey(key);
  } catch {
    // The argument may be a private key by mistake, so the message does not repeat it.
    throw usageError("--key is neither a file that can be read nor a public key", HINT);
  }
}
