// Converts a recording in YAML (vcr.py, go-vcr, Ruby's VCR) to the JSON text that the importer reads. Tags of other languages
// (`!!python/…`) are ignored, and aliases are bounded.

import type { ScalarTag } from "yaml";
import { BINARY_KEY } from "../../cassette/index.js";
import { CliError } from "../errors.js";
import { MAX_YAML_ALIASES, MAX_YAML_CHARACTERS } from "../limits.js";

/** Bytes stay base64, under a key of their own. */
const BINARY: ScalarTag = {
  tag: "tag:yaml.org,2002:binary",
  resolve: (text) => ({ [BINARY_KEY]: text }),
};

/** Returns any text but a recording in YAML unchanged. Throws {@link CliError}. */
export async function yamlToJson(text: string, path: string): Promise<string> {
  if (!isYamlRecording(text)) return text;
  if (text.length > MAX_YAML_CHARACTERS) {
    const message = `${path} has more characters of YAML than the limit of ${MAX_YAML_CHARACTERS}`;
    throw new CliError("log-too-large", message, "Split it into smaller files.", path);
  }
  // Loaded only for YAML.
  const { parse } = await import("yaml");
  try {
    return JSON.stringify(parse(text, { maxAliasCount: MAX_YAML_ALIASES, logLevel: "error", customTags: [BINARY] }));
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error);
    throw new CliError("log-unreadable", `${path} cannot be read as YAML: ${why}`, "Write it again.", path);
  }
}

/** True for a text that is not JSON and has the top-level key of every recording in YAML. */
function isYamlRecording(text: string): boolean {
  return !/^\s*[[{]/.test(text) && /^(?:http_)?interactions:/m.test(text);
}
