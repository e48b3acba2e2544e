// The eight built-in tools by name: their schemas, which of them only read, and the slot for their bodies. The bodies do
// I/O and so live outside the core; a runtime without bodies offers no verb.

import type { JsonObject } from "../canon/value.js";
import type { RunMemory } from "../model/memory.js";

export const VERB_NAMES = ["connect", "extract", "shape", "act", "sense", "probe", "context", "dowse"] as const;
export type VerbName = (typeof VERB_NAMES)[number];

/** What an agent gets when its manifest names nothing: everything that reads, nothing that writes. */
export const READ_ONLY_VERBS: readonly VerbName[] = VERB_NAMES.filter((name) => name !== "act");

export interface VerbContext {
  readonly signal: AbortSignal;
  readonly agentId: string;
  readonly memory: RunMemory;
}

/** One verb's work. Same contract as a custom tool's `invoke`. */
export type VerbBody = (args: JsonObject, context: VerbContext) => unknown;
export type VerbBodies = Readonly<Record<VerbName, VerbBody>>;

/** The verbs as a tool's own code calls them. */
export type VerbSet = Readonly<Record<VerbName, (args: JsonObject) => Promise<unknown>>>;

export interface VerbDefinition {
  readonly description: string;
  readonly schema: JsonObject;
}

export const VERBS: Readonly<Record<VerbName, VerbDefinition>> = {
  connect: {
    description: "Open a target and say what it is.",
    schema: fields({ uri: text("Where the target is.") }, ["uri"]),
  },
  extract: {
    description: "Read the content of a target.",
    schema: fields(
      { uri: text("Where the target is."), as: { type: "string", enum: ["text", "markdown", "json", "links"] } },
      ["uri"],
    ),
  },
  shape: {
    description: "Fill a template from data.",
    schema: fields({ template: text("The template."), data: { type: "object" } }, ["template"]),
  },
  act: {
    description: "Change a target.",
    schema: fields({ uri: text("Where the target is."), action: text("What to do to it."), input: {} }, [
      "uri",
      "action",
    ]),
  },
  sense: {
    description: "Take one named measurement of a target.",
    schema: fields({ uri: text("Where the target is."), measure: text("What to measure.") }, ["uri", "measure"]),
  },
  probe: {
    description: "Find out what a target allows.",
    schema: fields({ uri: text("Where the target is.") }, ["uri"]),
  },
  context: {
    description: "Recall what this run already knows.",
    schema: fields({ query: text("What to recall; everything when left out.") }, []),
  },
  dowse: {
    description: "Find targets that match words.",
    schema: fields({ query: text("The words."), below: text("The page or folder to search below.") }, ["query"]),
  },
};

export function isVerbName(name: string): name is VerbName {
  return (VERB_NAMES as readonly string[]).includes(name);
}

function text(description: string): JsonObject {
  return { type: "string", description };
}

function fields(properties: JsonObject, required: string[]): JsonObject {
  return { type: "object", properties, required, additionalProperties: false };
}
