// The eight built-in tools: their schemas, and which of them only read. Their bodies do I/O, so the host provides them.

import type { JsonObject } from "../canon/value.js";
import { MAX_QUERY, MAX_URI } from "../limits.js";
import type { RunMemory } from "../model/memory.js";

export const VERB_NAMES = ["connect", "extract", "shape", "act", "sense", "probe", "context", "dowse"] as const;

export type VerbName = (typeof VERB_NAMES)[number];

/** The verbs of an agent whose manifest names none: all that only read. */
export const READ_ONLY_VERBS: readonly VerbName[] = VERB_NAMES.filter((name) => name !== "act");

/** The second argument of a verb's body, with the fields of {@link CustomToolContext}. */
export interface VerbContext {
  readonly signal: AbortSignal;
  readonly agentId: string;
  readonly memory: RunMemory;
}

/** The implementation of one verb. Same contract as a custom tool's `invoke`. */
export type VerbBody = (args: JsonObject, context: VerbContext) => unknown;

/** The implementations of the eight verbs. `createVerbs` of `playhead/host` creates them for HTTP and files. */
export type VerbBodies = Readonly<Record<VerbName, VerbBody>>;

/** The verbs, for use by a tool's own code. */
export type VerbSet = Readonly<Record<VerbName, (args: JsonObject) => Promise<unknown>>>;

const TARGET = "An http(s) URL, or the path of a file or folder relative to the root.";

/** The definition of each verb for the model: its description, and the JSON Schema of its arguments. See docs/tools.md. */
export const VERBS: Readonly<Record<VerbName, { readonly description: string; readonly schema: JsonObject }>> = {
  connect: {
    description: "Open a target and say what it is: kind, final URL, status, media type, size, title, last change.",
    schema: fields({ uri: text(TARGET, MAX_URI) }, ["uri"]),
  },
  extract: {
    description:
      "Read the content of a target. A long one comes in parts: call again with `from` set to the `next` of the answer.",
    schema: fields(
      {
        uri: text(TARGET, MAX_URI),
        as: {
          type: "string",
          enum: ["text", "markdown", "json", "links"],
          description: "The form to read it in; the one that fits its media type when left out.",
        },
        from: { type: "integer", minimum: 0, description: "Where to begin: a character, or a link. Default 0." },
        limit: { type: "integer", minimum: 1, description: "Characters, or links, to give. Default 10000, or 100." },
      },
      ["uri"],
    ),
  },
  shape: {
    description: "Fill a template from data: {{name}} and {{order.items.0}} are replaced by what the data has there.",
    schema: fields(
      {
        template: { type: "string", description: "The template, as literal text." },
        data: { type: "object", description: "What the template names." },
      },
      ["template"],
    ),
  },
  act: {
    description: "Change a target: send a request to a URL, or write a file.",
    schema: fields(
      {
        uri: text(TARGET, MAX_URI),
        action: text("POST, PUT, PATCH or DELETE for a URL; write or append for a file.", 100),
        input: {
          description:
            "The body: JSON or text. For a file its text, or { text, overwrite: true } to replace one that is there.",
        },
      },
      ["uri", "action"],
    ),
  },
  sense: {
    description: "Take one named measurement of a target.",
    schema: fields(
      {
        uri: text(TARGET, MAX_URI),
        measure: text("One of status, latency, size, hash, etag, last-modified.", 100),
      },
      ["uri", "measure"],
    ),
  },
  probe: {
    description:
      "Find out what a target allows: methods, other origins, robots.txt; reading, writing, listing of files.",
    schema: fields({ uri: text(TARGET, MAX_URI) }, ["uri"]),
  },
  context: {
    description: "Recall what this run already knows, the answers of earlier agents among it.",
    schema: fields(
      { query: { ...text("Words to recall by; everything when left out.", MAX_QUERY), minLength: 0 } },
      [],
    ),
  },
  dowse: {
    description: "Find targets that match words: links of a page on the same host, or files below a folder.",
    schema: fields(
      {
        query: text("The words.", MAX_QUERY),
        below: text("The URL of a page, or a folder, to search below. The root folder when left out.", MAX_URI),
      },
      ["query"],
    ),
  },
};

export function isVerbName(name: string): name is VerbName {
  return (VERB_NAMES as readonly string[]).includes(name);
}

function text(description: string, maxLength: number): JsonObject {
  return { type: "string", minLength: 1, maxLength, description };
}

function fields(properties: JsonObject, required: string[]): JsonObject {
  return { type: "object", properties, required, additionalProperties: false };
}
