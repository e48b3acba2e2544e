// The messages before every conversation: the author's instructions, and those that the environment found. A folder is not the author,
// so its files become a user message.

import { seal } from "../../canon/copy.js";
import { AgentError } from "../../errors.js";
import { MAX_INSTRUCTIONS_CHARACTERS } from "../../limits.js";
import type { LlmMessage } from "../../model/message.js";
import { quoteForeign } from "../../text/mask.js";
import { showValue } from "../../text/show.js";
import { thrownText } from "../../text/thrown.js";
import type { Env } from "../env.js";
import type { ConversationRef } from "../storage/storage.js";
import type { ReadyAgent } from "./agent.js";

const START = "<instructions>\nThese instruction files apply to the working folder.\n\n";
const END = "\n</instructions>";

/** Rejects with `conversation-failed`, because a run must not start without its instructions. */
export async function readHead({ agent }: ReadyAgent, { id }: ConversationRef, env: Env): Promise<LlmMessage[]> {
  const system: LlmMessage = seal({ role: "system", content: agent.systemPrompt });
  const found = await discover(id, env);
  if (found === undefined || found === "") return [system];
  const text = found.replaceAll("</instructions", "<\\/instructions");
  return [system, seal({ role: "user", content: `${START}${text}${END}` })];
}

async function discover(id: string, env: Env): Promise<string | undefined> {
  if (env.discoverInstructions === undefined) return undefined;
  let found: unknown;
  try {
    found = await env.discoverInstructions(env.effectiveCwd?.(id) ?? ".");
  } catch (error) {
    throw failed(`the instructions could not be discovered: ${quoteForeign(thrownText(error))}`, error);
  }
  if (found === undefined) return undefined;
  if (typeof found !== "string" || !found.isWellFormed())
    throw failed(`discoverInstructions returned ${showValue(found)} instead of a string`);
  if (found.length <= MAX_INSTRUCTIONS_CHARACTERS) return found;
  throw failed(`the instructions have ${found.length} characters, and the limit is ${MAX_INSTRUCTIONS_CHARACTERS}`);
}

function failed(message: string, cause?: unknown): AgentError {
  return new AgentError("conversation-failed", message, {
    hint: "Correct discoverInstructions or effectiveCwd. Nothing was stored.",
    ...(cause === undefined ? {} : { cause }),
  });
}
