// Reads a spec with its documents, before anything is opened or spent.

import { basename, delimiter, dirname, join, resolve } from "node:path";
import { decodeUtf8, defined, parseBoundedJson, thrownText, type FileRead } from "../../core/index.js";
import {
  PlumbError,
  readSpec,
  readToolList,
  type AgentSpec,
  type OfferedTool,
  type PromptDocument,
  type ProviderName,
} from "../../core/process/index.js";
import { nodeFiles } from "../files.js";
import { MAX_PROMPT_FILE_BYTES, MAX_SPEC_BYTES } from "../limits.js";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface LoadedSpec {
  /** With the model of the environment, if the spec has none. */
  readonly spec: AgentSpec;
  readonly documents: readonly PromptDocument[];
  readonly providerName: ProviderName | undefined;
}

export interface SpecOverrides {
  readonly provider?: string;
  readonly model?: string;
}

/**
 * Reads a spec. What it leaves out comes from `overrides`, then from `PLUMB_PROVIDER` and `PLUMB_MODEL`. Throws `PlumbError`
 * `spec-unreadable`, `spec-malformed`, `prompt-not-found` or `provider-missing`.
 */
export async function readAgentSpec(
  path: string,
  env: Environment,
  overrides: SpecOverrides = {},
): Promise<LoadedSpec> {
  const given = readSpec(parse(await readSpecText(path), path), basename(path));
  const providerName = given.provider ?? readProvider(overrides.provider ?? orUnset(env["PLUMB_PROVIDER"]));
  const model = given.model ?? overrides.model ?? orUnset(env["PLUMB_MODEL"]);
  const names = given.prompts ?? [];
  const places = (env["PLUMB_RESOURCES"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const documents: PromptDocument[] = [];
  for (const id of names) documents.push({ id, text: await readDocument(id, dirname(path), places) });
  return { spec: { ...given, ...defined({ model }) }, documents, providerName };
}

/** The tools that a spec names, from the file that `PLUMB_MCP_TOOLS` names. Throws `PlumbError` `spec-unreadable` or `spec-malformed`. */
export async function readTools({ spec }: LoadedSpec, env: Environment): Promise<OfferedTool[]> {
  const { name, tools = [] } = spec;
  if (tools.length === 0) return [];
  const path = orUnset(env["PLUMB_MCP_TOOLS"]);
  if (path === undefined) {
    const hint = "Set it to a JSON file with a list of tools, or let a fabric run the agent.";
    throw new PlumbError("spec-malformed", `${name} uses tools, but PLUMB_MCP_TOOLS is not set`, hint);
  }
  return readToolList(parse(await readSpecText(path), path), tools, path);
}

/** An empty variable counts as unset. */
function orUnset(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

function readProvider(name: string | undefined): ProviderName | undefined {
  if (name === undefined || name === "anthropic" || name === "openai") return name;
  throw new PlumbError("provider-missing", `${JSON.stringify(name)} is not a provider`, "Use anthropic or openai.");
}

async function readDocument(id: string, folder: string, places: readonly string[]): Promise<string> {
  const paths = id.includes("/") ? [resolve(folder, id)] : places.map((place) => join(place, id));
  for (const path of paths) {
    const read = await nodeFiles().read(path, MAX_PROMPT_FILE_BYTES);
    if (read.kind !== "not-found") return textOf(read, path, MAX_PROMPT_FILE_BYTES, "prompt-not-found");
  }
  const hint = id.includes("/")
    ? "The path is relative to the spec."
    : `Write ./${id} for a file next to the spec, or set PLUMB_RESOURCES to its folder.`;
  throw new PlumbError("prompt-not-found", `the prompt file ${JSON.stringify(id)} was not found`, hint);
}

async function readSpecText(path: string): Promise<string> {
  return textOf(await nodeFiles().read(path, MAX_SPEC_BYTES), path, MAX_SPEC_BYTES, "spec-unreadable");
}

function textOf(read: FileRead, path: string, maxBytes: number, code: "spec-unreadable" | "prompt-not-found"): string {
  const refuse = (why: string): PlumbError =>
    new PlumbError(code, `${path} cannot be read: ${why}`, "Use a regular file with text in UTF-8.");
  if (read.kind === "not-found") throw refuse("it does not exist");
  if (read.kind === "too-large") throw refuse(`it has ${read.size} bytes, and the limit is ${maxBytes}`);
  if (read.kind === "failed") throw refuse(read.message);
  const text = decodeUtf8(read.bytes);
  if (text === undefined) throw refuse("it is not UTF-8");
  return text;
}

function parse(text: string, path: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch (cause) {
    const hint = "Write one JSON value into it.";
    throw new PlumbError("spec-malformed", `${path} is not JSON: ${thrownText(cause)}`, hint, { cause });
  }
}
