// A hook that lets one agent hand a task to another. The other works in a conversation of its own, and its answer is the tool's result.

import { AgentError, invalidOptions } from "../../errors.js";
import { MAX_DELEGATION_DEPTH } from "../../limits.js";
import { showValue } from "../../text/show.js";
import type { Hook, ToolCall, ToolSchema } from "../hook.js";
import type { SendRequest } from "../run/request.js";
import type { AgentResponse } from "../run/run.js";
import { serve } from "./tools.js";

/** The options of {@link delegateHook}. */
export interface DelegateOptions {
  /** Names of the agents that can get a task, each with the line that the model reads about it. */
  readonly members: Readonly<Record<string, string>>;
  /** The `send` of the runtime. */
  readonly send: (request: SendRequest) => Promise<Pick<AgentResponse, "finalAnswer">>;
  /** How deep a task may be handed on. Default 3. */
  readonly maxDepth?: number;
}

const NAME = "delegate";

/**
 * Offers the tool `delegate`, which writes, since the other agent may. The sender of the new conversation is
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
  if (depth >= maxDepth) throw new AgentError("tool-failed", `a task may be handed on ${maxDepth} times at most`);
  const sender = `delegate:${depth + 1}:${encodeURIComponent(call.agent)}:${origin}`;
  const agent = call.args["to"] as string;
  const { finalAnswer } = await send({ agent, sender, content: call.args["task"] as string, signal: call.signal });
  return finalAnswer;
}

/** How often a task was handed on before it came to this sender, and the sender it began with. */
function originOf(sender: string): { depth: number; origin: string } {
  const [, depth, origin] = /^delegate:(\d{1,3}):[^:]*:([^]*)$/.exec(sender) ?? [];
  return depth === undefined ? { depth: 0, origin: sender } : { depth: Number(depth), origin: origin ?? "" };
}
