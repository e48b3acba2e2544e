// Continues a turn that another process stored in part.

import type { Boundary, LoopInput, LoopStop } from "../../loop/boundary.js";
import { runLoop } from "../../loop/loop.js";
import type { ResumedTurn } from "../state/keeper.js";
import type { CallIds } from "./call-ids.js";
import type { Projection } from "./project.js";
import type { Steps } from "./steps.js";
import type { Talk } from "./talk.js";

/** Restores the stored part, as if this process had done it. */
export function takeUp(
  { messages, steps: indexes, ended, place }: ResumedTurn,
  { talk, ids, projection, steps }: { talk: Talk; ids: CallIds; projection: Projection; steps: Steps },
): void {
  const isOpen = place === "answer";
  let answers = 0;
  for (const message of messages) {
    talk.history.push(message);
    if (message.role !== "assistant") continue;
    const step = indexes[answers++] ?? 0;
    ids.name(step, message);
    if (isOpen && answers === indexes.length) projection.resume(step, message);
  }
  steps.count = ended;
  steps.hasBegun = place === "begun";
  talk.window = isOpen ? undefined : "step-start";
  if (!isOpen) talk.markWhole();
}

/** Runs the loop. A final answer whose step was not ended is not asked for again. */
export async function goOn(loop: LoopInput, resumed: ResumedTurn | undefined): Promise<LoopStop> {
  const answer = resumed?.messages.at(-1);
  if (resumed?.place !== "answer" || resumed.pendingCalls.length > 0 || typeof answer?.content !== "string")
    return runLoop(loop);
  const outcome = { kind: "finished", finalAnswer: answer.content } as const;
  const decision = await (loop.boundary as Boundary)({ at: "after", turnIndex: loop.budget.turns - 1, loop, outcome });
  return decision?.kind === "continue" ? runLoop(loop) : outcome;
}
