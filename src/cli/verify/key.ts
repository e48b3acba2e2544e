// `--key`: a public key in a file, in the argument itself, or in a variable of the environment.

import { readPublicKey, type FilePort } from "../../core/index.js";
import { CliError } from "../errors.js";

const MAX_KEY_BYTES = 64 * 1024;
const HINT = "Give the path of a PEM file, 32 bytes as hexadecimal or base64, or env:NAME.";

/** Throws {@link CliError} `usage`, and `AgentError` `invalid-options` for a file or a variable that holds no public key. */
export async function readKey(
  files: FilePort,
  key: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Uint8Array> {
  if (key.startsWith("env:")) {
    const text = env[key.slice(4)];
    if (text !== undefined && text !== "") return readPublicKey(text);
    throw new CliError("usage", `--key names the variable ${key.slice(4)}, which is not set`, HINT);
  }
  const result = await files.read(key, MAX_KEY_BYTES);
  if (result.kind === "read") return readPublicKey(new TextDecoder().decode(result.bytes));
  if (result.kind === "too-large") throw new CliError("usage", `the file of --key has ${result.size} bytes`, HINT);
  try {
    return readPublicKey(key);
  } catch {
    // What was given may be a private key by mistake, so it is not repeated.
    throw new CliError("usage", "--key is neither a file that can be read nor a public key", HINT);
  }
}
