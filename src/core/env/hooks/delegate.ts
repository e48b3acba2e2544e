// A hook that lets one agent hand a task to another. The other agent works in a separate conversation, and its answer is the tool's result.

import { AgentError, invalidOptions } from "../../errors.js";
import { MAX_DELEGATION_DEPTH } from "../../limits.js";
import { showValue } from "../../text/show.js";
import type { Hook, ToolCall, ToolSchema } from "../hook.js";
import type { SendRequest } from "../run/request.js";
import type { AgentResponse } from "../run/run.js";
import { serve } from "./tools.js";

/** The options of {@link delegateHook}. */
export interface DelegateOptions {
  /** The agents that can receive a task, by name, each with the line that describes it to the model. */
  readonly members: Readonly<Record<string, string>>;
  /** The `send` of the runtime. */
  readonly send: (request: SendRequest) => Promise<Pick<AgentResponse, "finalAnswer">>;
  /** The number of times that a task may be handed on. Default 3. */
  readonly maxDepth?: number;
}

const NAME = "delegate";

/**
 * Offers the tool `delegate`. It counts as writing, because the other agent may write. The sender of the new conversation is
 * `delegate:DEPTH:AGENT:SENDER`. A task beyond `maxDepth`, and one for a conversation that is running, are refused.
 */
export function delegateHook({ members, send, maxDepth = 3 }: DelegateOptions): Hook {
  const names = Object.keys(members);
  if (names.length === 0)
    throw invalidOptions("delegateHook has no members", "Pass { members: { scout: 'Finds files.' }, send }.");
  if (!Number.isInteger(maxDepth) || maxDepth < 1 || maxDepth > MAX_DELEGATION_DEPTH)
    throw invalidOptions(
      `maxDepth of delegateHook is ${showValue(maxDepth)}`,
      `Use a whole number from 1 to ${MAX_DELEGATION_DEPTH}.`,
    );
  const schema: ToolSchema = {
    name: NAME,
    description: `Hand a task to another agent, and wait for its answer. It does not see this conversation. The agents:\n${names
      .map((name) => `- ${name}: ${members[name] as string}`)
      .join("\n")}`,
    effect: "write",
    schema: {
      type: "object",
      properties: {
        to: { type: "string", enum: names },
        task: { type: "string", minLength: 1, description: "Everything that the agent must know." },
      },
      required: ["to", "task"],
      additionalProperties: false,
    },
  };
  return {
    schema: () => [schema],
    dispatch: (name, call) => (name === NAME ? serve(() => hand(call, send, maxDepth)) : undefined),
  };
}

async function hand(call: ToolCall, send: DelegateOptions["send"], maxDepth: number): Promise<string> {
  const { depth, origin } = originOf(call.sender);
  if (depth >= maxDepth) throw new AgentError("tool-failed", `a task may be handed on at most ${maxDepth} times`);
  const sender = `delegate:${depth + 1}:${encodeURIComponent(call.agent)}:${origin}`;
  const agent = call.args["to"] as string;
  const { finalAnswer } = await send({ agent, sender, content: call.args["task"] as string, signal: call.signal });
  return finalAnswer;
}

/** The number of times that a task was handed on before this sender, and the original sender. */
function originOf(sender: string): { depth: number; origin: string } {
  const [, depth, origin] = /^delegate:(\d{1,3}):[^:]*:([^]*)$/.exec(sender) ?? [];
  return depth === undefined ? { depth: 0, origin: sender } : { depth: Number(depth), origin: origin ?? "" };
}
