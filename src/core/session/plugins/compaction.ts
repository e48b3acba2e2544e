// The compaction plugin: replaces the older messages of a long session with a summary, in the commit of a turn.

import { DEFAULT_COMPACTION, judgeSummary, toSummaryMessage, toSummaryRequest } from "../../context/compaction.js";
import { defined } from "../../defined.js";
import { HOOK_TIMEOUT_MS } from "../../limits.js";
import { askAside, type LoopInput } from "../../loop/boundary.js";
import type { LlmMessage } from "../../model/message.js";
import { unknownOptions } from "../../options.js";
import type { Ports } from "../../ports.js";
import { quoteForeign } from "../../text/mask.js";
import { showValue } from "../../text/show.js";
import { thrownText } from "../../text/thrown.js";
import { within } from "../../time/wait.js";
import { assertNotAborted } from "../../tools/abort.js";
import type { House } from "../live/house.js";
import type { Talk } from "../turn/talk.js";
import type { AgentPlugin } from "./plugin.js";
import { registerCompaction, type MessageCompaction } from "./plugins.js";

/** The options of {@link compaction}. */
export interface CompactionOptions {
  /** A session with more messages than this is compacted at the end of a turn. Default 40. */
  readonly thresholdMessages?: number;
  /** At least this many of the newest messages stay word for word. Default 4. */
  readonly keepMessages?: number;
  /** Writes the summary. Default: the agent's model, in a separate turn that counts towards the budget. */
  readonly summarize?: (context: { readonly messages: readonly LlmMessage[] }) => string | Promise<string>;
}

/** Replaces the older messages of a long session with a summary. Cuts before a user message. A failure is a warning. */
export function compaction(options: CompactionOptions = {}): AgentPlugin {
  const unknown = unknownOptions(options, ["thresholdMessages", "keepMessages", "summarize"]);
  if (unknown.length > 0) throw new TypeError(`compaction has an unknown option: ${unknown.join(", ")}.`);
  const { thresholdMessages = 40, keepMessages = 4, summarize } = options;
  for (const [name, value] of Object.entries({ thresholdMessages, keepMessages })) {
    if (Number.isSafeInteger(value) && value >= 1) continue;
    throw new TypeError(`${name} of compaction is ${showValue(value)}. Use a whole number of 1 or more.`);
  }
  if (keepMessages >= thresholdMessages)
    throw new TypeError(
      `keepMessages of compaction is ${keepMessages}. Use less than thresholdMessages (${thresholdMessages}).`,
    );
  if (summarize !== undefined && typeof summarize !== "function")
    throw new TypeError(`summarize of compaction is ${showValue(summarize)}. Pass a function.`);
  return {
    name: "compaction",
    setup: (host) => registerCompaction(host, { thresholdMessages, keepMessages, summarize }),
  };
}

/** Compacts the session as it will be after this turn, if that is due. Rejects only with `aborted`. */
export async function compactIfDue({ plugins, ports }: House, talk: Talk, loop: LoopInput): Promise<void> {
  const { compaction: policy } = plugins;
  if (policy === undefined) return;
  const messages = talk.kept("all");
  if (messages.length <= policy.thresholdMessages) return;
  const count = messages.findLastIndex(
    ({ role }, index) => role === "user" && index <= messages.length - policy.keepMessages,
  );
  if (count <= 0) return;
  try {
    const summary = await summarize(policy, messages.slice(0, count), loop, ports);
    talk.replaceFirst(count, [toSummaryMessage(summary)]);
  } catch (error) {
    assertNotAborted(loop.context.signal);
    ports.warn(`playhead: a session was not compacted: ${quoteForeign(thrownText(error))}`);
  }
}

async function summarize(
  { summarize: own }: MessageCompaction,
  messages: readonly LlmMessage[],
  loop: LoopInput,
  ports: Pick<Ports, "timer">,
): Promise<string> {
  if (own !== undefined) {
    const summary: unknown = await within(Promise.resolve(own({ messages })), HOOK_TIMEOUT_MS, ports);
    if (typeof summary === "string" && summary !== "") return summary.toWellFormed();
    throw new Error(`summarize returned ${showValue(summary)}`);
  }
  const { maxToolCharacters, maxSummaryTokens } = DEFAULT_COMPACTION;
  const settings = { ...defined({ model: loop.settings?.model }), maxTokens: maxSummaryTokens };
  const asked = await askAside(loop, toSummaryRequest(messages, maxToolCharacters), settings);
  if (asked.kind === "budget") throw new Error(`the budget has no turn for a summary: ${asked.cap}`);
  const verdict = judgeSummary(asked.response);
  if (verdict.kind === "refused") throw new Error(verdict.reason);
  return verdict.summary;
}
