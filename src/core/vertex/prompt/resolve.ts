// Fills in a template once. Data from other vertices and files becomes text, which is never parsed as a template.

import { isPlainObject } from "../../canon/value.js";
import { AgentError, invalidOptions } from "../../errors.js";
import { MAX_PROMPT_CHARACTERS } from "../../limits.js";
import { quoteForeign } from "../../text/mask.js";
import { isThrown, thrownText } from "../../text/thrown.js";
import { assertNotAborted } from "../../tools/abort.js";
import { toResultText } from "../../tools/result.js";
import { isSecret } from "./secrets.js";
import { parseTemplate, templateFlaw, type Filter, type Reference } from "./template.js";

/** The capabilities of a host for templates. */
export interface ResolverCapabilities {
  /** The text of a file, for the filter `read_file`. `createPromptFiles` of `playhead/host` creates one. */
  readFile?(path: string, signal: AbortSignal): Promise<string>;
}

/** The values that a template may refer to. */
export interface TemplateScope {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly ctx: Readonly<Record<string, unknown>>;
  readonly runOutputs: ReadonlyMap<string, unknown>;
  readonly secretInputNames?: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly capabilities?: ResolverCapabilities | undefined;
}

/** Throws `AgentError` `invalid-options` with line and column, or `capability-missing` if the host cannot read files. */
export async function fillTemplate(text: string, scope: TemplateScope): Promise<string> {
  let filled = "";
  for (const part of parseTemplate(text)) {
    if (part.kind === "text") filled += part.text;
    else if (part.filters.length === 0) filled += written(text, part, lookUp(text, part, scope));
    else filled += await filtered(text, part, scope);
    if (filled.length > MAX_PROMPT_CHARACTERS)
      throw invalidOptions(
        `prompt_template is longer than ${MAX_PROMPT_CHARACTERS} characters when it is filled in`,
        "Pass a shorter text, or let a tool read it.",
      );
  }
  if (filled.trim() === "")
    throw invalidOptions("prompt_template is empty when it is filled in", "A vertex needs a user message.");
  return filled.toWellFormed();
}

async function filtered(text: string, reference: Reference, scope: TemplateScope): Promise<string> {
  let value = lookUp(text, reference, scope);
  for (const filter of reference.filters) value = await apply(text, reference, filter, value, scope);
  return written(text, reference, value);
}

/** Uses `toResultText`, which never fails on data that is not JSON. */
function written(text: string, reference: Reference, value: unknown): string {
  if (value === undefined) throw missing(text, reference);
  return toResultText(value, Infinity).text;
}

function lookUp(text: string, { namespace, path, at }: Reference, scope: TemplateScope): unknown {
  if (isSecret(namespace, path, scope.secretInputNames)) {
    const what =
      namespace === "secrets" ? "a prompt must not refer to secrets" : "a prompt must not refer to a secret input";
    throw templateFlaw(text, at, what, "Pass the secret to a tool, and never to a model.");
  }
  const first = path[0];
  if ((namespace === "inputs" || namespace === "ctx") && first !== undefined) return walk(scope[namespace], path, 0);
  if (namespace === "run" && first === "outputs" && path[1] !== undefined)
    return walk(scope.runOutputs.get(String(path[1])), path, 2);
  throw templateFlaw(text, at, 'the path must begin with inputs.NAME, ctx.KEY or run.outputs["ID"]');
}

/** Follows the steps of `path` from index `from` on: only own keys of plain objects and items of lists. */
function walk(value: unknown, path: readonly (string | number)[], from: number): unknown {
  for (let index = from; index < path.length; index++) value = step(value, path[index] as string | number);
  return value;
}

function step(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) return typeof key === "number" ? (value[key] as unknown) : undefined;
  return isPlainObject(value) && Object.hasOwn(value, key) ? value[String(key)] : undefined;
}

function missing(text: string, { at }: Reference): AgentError {
  return templateFlaw(text, at, "the value does not exist", 'Add a default: {{ … | default("none") }}.');
}

async function apply(
  text: string,
  reference: Reference,
  { name, argument }: Filter,
  value: unknown,
  { capabilities, signal }: TemplateScope,
): Promise<unknown> {
  if (name === "default") return value === undefined ? argument : value;
  if (value === undefined) throw missing(text, reference);
  if (name === "json") return toResultText([value], Infinity).text.slice(1, -1);
  if (name === "length") return lengthOf(text, reference, value);
  if (typeof value !== "string") throw templateFlaw(text, reference.at, "read_file needs a path as a string");
  if (capabilities?.readFile === undefined)
    throw new AgentError("capability-missing", "the host cannot read files for a prompt", {
      hint: "Pass resolverCapabilities: { readFile } to createAgentNodeExecutor.",
    });
  const content: unknown = await readFile(capabilities as Required<ResolverCapabilities>, value, signal);
  assertNotAborted(signal);
  if (typeof content === "string") return content;
  throw new AgentError("capability-missing", "readFile of the host returned no string");
}

/** Keeps an error that the host classified. Any other error is a fault of the host. */
async function readFile(
  capabilities: Required<ResolverCapabilities>,
  path: string,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    return await capabilities.readFile(path, signal);
  } catch (error) {
    if (isThrown(error, AgentError)) throw error;
    const message = `readFile of the host failed: ${quoteForeign(thrownText(error))}`;
    throw new AgentError("capability-missing", message, { cause: error });
  }
}

function lengthOf(text: string, { at }: Reference, value: unknown): number {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  throw templateFlaw(text, at, "length needs a string or a list");
}
