// Compaction of one conversation. A separate turn requests a summary, which is stored with its marker in one append. Only then does the
// working context begin with it.

import { findCut } from "../../context/cut.js";
import { judgeSummary, toSummaryRequest, type CompactionPolicy } from "../../context/compaction.js";
import { askAside, type LoopInput } from "../../loop/boundary.js";
import type { Conversation } from "../conversation/conversation.js";
import type { ArchiveMarker } from "../storage/entry.js";
import { summarySettings, type ReadyAgent } from "./agent.js";
import type { EventProjection } from "./event.js";

export interface CompactionInput {
  readonly ready: ReadyAgent;
  readonly policy: CompactionPolicy;
  readonly conversation: Conversation;
  readonly loop: LoopInput;
  readonly events: EventProjection;
  /** Throws once the run has ended, so that a late answer stores nothing. */
  readonly assertGoing: () => void;
}

/** The number of messages that were replaced, and the marker. Undefined if nothing was archived, which an event explains. */
export async function compact(input: CompactionInput): Promise<{ count: number; marker: ArchiveMarker } | undefined> {
  const { ready, policy, conversation, loop, events, assertGoing } = input;
  const { messages, meter } = conversation;
  meter.measure(messages);
  const count = findCut(messages, meter.sizes, policy.keepTokens);
  if (!conversation.canArchive(count)) {
    fail(events, "nothing can be archived: there are no steps before the newest ones");
    return;
  }
  const archived = messages.slice(0, count);
  events.isStep = false;
  const asked = await askAside(
    loop,
    toSummaryRequest(archived, policy.maxToolCharacters),
    summarySettings(ready.agent, policy),
  ).finally(() => (events.isStep = true));
  if (asked.kind === "budget") {
    fail(events, `the budget has no turn for a summary: ${asked.cap}`);
    return;
  }
  const verdict = judgeSummary(asked.response);
  if (verdict.kind === "refused") {
    fail(events, verdict.reason);
    return;
  }
  assertGoing();
  const marker = await conversation.archiveFirst(count, verdict.summary);
  events.tell({ type: "compaction", archive: marker.name, messages: count, summary: marker.summary });
  return { count, marker };
}

function fail(events: EventProjection, reason: string): undefined {
  events.tell({ type: "compaction-failed", reason });
  return undefined;
}
