// A recording in YAML (vcr.py, go-vcr, Ruby's VCR) as the JSON text that the importer reads. Tags of other languages
// (`!!python/…`) make nothing: a tagged value is read as what it is written like. Aliases are bounded.

import type { ScalarTag } from "yaml";
import { BINARY_KEY } from "../../cassette/index.js";
import { CliError } from "../errors.js";

/** The most characters of YAML; its reader needs some fifty times as much memory. */
export const MAX_YAML_LENGTH = 32 * 1024 * 1024;

/** How much the aliases of one text may multiply it: the reader's own limit. */
const MAX_ALIASES = 100;

/** Bytes stay base64, under a key of their own. */
const BINARY: ScalarTag = {
  tag: "tag:yaml.org,2002:binary",
  resolve: (text) => ({ [BINARY_KEY]: text }),
};

/** A text that is no recording in YAML as it is, one that is as JSON. Throws {@link CliError}. */
export async function yamlToJson(text: string, path: string): Promise<string> {
  if (!isYamlRecording(text)) return text;
  if (text.length > MAX_YAML_LENGTH) {
    const message = `${path} has more than ${MAX_YAML_LENGTH} characters of YAML, the limit`;
    throw new CliError("log-too-large", message, "Split it into smaller files.", path);
  }
  // Loaded only where there is YAML to read.
  const { parse } = await import("yaml");
  try {
    return JSON.stringify(parse(text, { maxAliasCount: MAX_ALIASES, logLevel: "error", customTags: [BINARY] }));
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error);
    throw new CliError("log-unreadable", `${path} is not YAML that can be read: ${why}`, "Write it again.", path);
  }
}

/** True for a text that is no JSON, with the one key at its margin that every recording in YAML has. */
function isYamlRecording(text: string): boolean {
  return !/^\s*[[{]/.test(text) && /^(?:http_)?interactions:/m.test(text);
}
