// The tools by which a model works with subagents: their names and schemas.

import { seal } from "../../canon/copy.js";
import type { JsonObject } from "../../canon/value.js";
import { DEFAULT_JOB_WAIT_MS, MAX_JOB_WAIT_MS } from "../../limits.js";
import type { LlmToolDefinition } from "../../model/provider.js";

export const OUTPUT_TOOL = "background_output";
export const CANCEL_TOOL = "background_cancel";

interface Named {
  readonly name: string | undefined;
  readonly description: string | undefined;
}

/** The tool that delegates to a subagent. */
export function toolNameOf(subagent: string): string {
  return `delegate_to_${subagent.replaceAll("-", "_")}`;
}

/** The names of the tools that an agent with these subagents gets. */
export function subagentToolNames(subagents: readonly Named[]): readonly string[] {
  if (subagents.length === 0) return [];
  return [...subagents.map(({ name = "" }) => toolNameOf(name)), OUTPUT_TOOL, CANCEL_TOOL];
}

/** The definitions in order. Without `background`, only blocking delegation is offered. */
export function subagentDefinitions(subagents: readonly Named[], background: boolean): readonly LlmToolDefinition[] {
  const delegates = subagents.map(({ name = "", description = "" }) => ({
    name: toolNameOf(name),
    description: `Delegates a task to the subagent ${name} and returns its answer. ${description}`,
    schema: delegateSchema(background),
  }));
  return seal(background ? [...delegates, OUTPUT, CANCEL] : delegates);
}

function delegateSchema(background: boolean): JsonObject {
  const properties = {
    prompt: { type: "string", minLength: 1, description: "The task, with everything the subagent must know." },
    description: { type: "string", maxLength: 200, description: "A few words that name the task." },
    sessionKey: {
      type: "string",
      pattern: "^[A-Za-z0-9_-]{1,80}$",
      description: "Continues the subagent's conversation of this name. Default: one conversation for all tasks.",
    },
  };
  const more = {
    run_in_background: {
      type: "boolean",
      description: "Returns a task_id at once, and the subagent goes on in the background.",
    },
  };
  return {
    type: "object",
    properties: background ? { ...properties, ...more } : properties,
    required: ["prompt"],
    additionalProperties: false,
  };
}

const TASK_ID = { type: "string", minLength: 1, maxLength: 100, description: "The task_id of the launch, bg_…" };

const OUTPUT: LlmToolDefinition = {
  name: OUTPUT_TOOL,
  description: "Retrieves the result of a background task. Wait for its <system-reminder> first.",
  schema: {
    type: "object",
    properties: {
      task_id: TASK_ID,
      block: { type: "boolean", description: "Waits until the task has ended. Default false." },
      timeout: {
        type: "integer",
        minimum: 0,
        description: `Milliseconds to wait with block. Default ${DEFAULT_JOB_WAIT_MS}, at most ${MAX_JOB_WAIT_MS}.`,
      },
    },
    required: ["task_id"],
    additionalProperties: false,
  },
};

const CANCEL: LlmToolDefinition = {
  name: CANCEL_TOOL,
  description: "Cancels a background task.",
  schema: { type: "object", properties: { task_id: TASK_ID }, required: ["task_id"], additionalProperties: false },
};
