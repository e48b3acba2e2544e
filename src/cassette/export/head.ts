// The head of an exported document: the model, the vendor, and the tools that were offered.

import { isPlainObject, type JsonObject, type LlmToolDefinition } from "../../core/index.js";
import type { CassetteV2, ContextExtension } from "../file/format.js";
import { contextAt } from "../offer/context.js";
import type { LossLog } from "./loss.js";
import type { Thread } from "./threads.js";

/** The parts of `recordedProvider`: `openai:gpt-4o`, or `import:<format>:<model>` for an imported log. */
export interface RecordedModel {
  provider: string | undefined;
  model: string | undefined;
}

export function recordedModel({ recordedProvider, extensions = {} }: CassetteV2): RecordedModel {
  const [first = "", ...rest] = recordedProvider.split(":");
  const { import: imported } = extensions;
  if (first === "import") {
    const model: unknown = isPlainObject(imported) ? (imported as JsonObject)["model"] : undefined;
    const vendor = /^(openai|anthropic)-messages$/.exec(rest[0] ?? "")?.[1];
    return { provider: vendor, model: typeof model === "string" && model !== "" ? model : rest.slice(1).join(":") };
  }
  const model = rest.join(":");
  return { provider: first === "" ? undefined : first, model: model === "" ? undefined : model };
}

/** The tools and settings of a turn, as far as they were recorded. */
export function contextOf({ extensions = {} }: CassetteV2, turnIndex: number): ContextExtension | undefined {
  return contextAt(extensions.contexts ?? [], turnIndex);
}

/** The tools of a context in our shape; undefined where the recording does not list them. */
export function toolsOf(context: ContextExtension | undefined, losses: LossLog): LlmToolDefinition[] | undefined {
  return context?.tools?.flatMap((tool) => {
    const { name, description, schema } = tool;
    if (typeof name === "string" && typeof description === "string" && isPlainObject(schema)) {
      return [{ name, description, schema }];
    }
    losses.add("tool-definition");
    return [];
  });
}

export interface ThreadHead {
  model: string | undefined;
  tools: LlmToolDefinition[] | undefined;
}

/** The model and the tools of the last turn, for the whole thread. Turns that had others are counted. */
export function headOf(cassette: CassetteV2, { turns }: Thread, losses: LossLog): ThreadHead {
  const last = turns.at(-1);
  const context = contextOf(cassette, last?.turnIndex ?? 0);
  const answeredBy = last?.response.model;
  for (const { turnIndex, response } of turns) {
    if (response.model !== answeredBy) losses.add("model-changed");
    if (contextOf(cassette, turnIndex)?.toolsHash !== context?.toolsHash) losses.add("tools-changed");
  }
  const model = answeredBy === undefined || answeredBy === "" ? recordedModel(cassette).model : answeredBy;
  return { model, tools: toolsOf(context, losses) };
}
