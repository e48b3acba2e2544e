// One run of a subagent: it is driven to its end, its events are counted for the parent, and its answer becomes a compact text.

import { AgentError } from "../../errors.js";
import { MAX_CHILD_UPDATES } from "../../limits.js";
import { quoteForeign } from "../../text/mask.js";
import { isThrown, thrownText } from "../../text/thrown.js";
import { readInput } from "../input.js";
import type { Session } from "../live/session.js";
import type { Run, RunOutcome } from "../run/run.js";
import type { RunOrigin } from "../state/keeper.js";
import { untilAborted } from "../../time/wait.js";
import type { Hold } from "../turn/order.js";
import { compact, type JobEnd } from "./jobs.js";

export interface ChildOrder {
  readonly prompt: string;
  /** Aborts this run, and no other of the session. */
  readonly signal: AbortSignal;
  /** Called once the run has made its first request, or has ended. */
  readonly asked: () => void;
  readonly update: (type: string) => void;
  /** Called with the run once it is accepted. */
  readonly accepted?: (run: Pick<Run, "answers" | "quiet">) => void;
  readonly hold?: Hold | undefined;
  readonly origin: RunOrigin;
  /** Called if the run goes on later. The one who waits for it must go on later too. */
  readonly left?: () => void;
}

/** Runs a turn of a subagent. Never rejects. */
export async function runChild(enter: () => Promise<Session>, order: ChildOrder): Promise<JobEnd> {
  const { prompt, signal, asked, update, accepted, hold, origin } = order;
  try {
    const read = readInput(prompt);
    const session = await enter();
    signal.throwIfAborted();
    const held = (): void => {
      asked();
      hold?.held();
    };
    const stands = hold === undefined ? {} : { hold: { steps: hold.steps, held } };
    const run = await session.send(read, { asked, origin, ...stands });
    accepted?.(run);
    const abort = (): void => session.abortRun(run.runId);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    let updates = 0;
    for await (const { type } of run.events()) if (updates++ < MAX_CHILD_UPDATES) update(type);
    signal.removeEventListener("abort", abort);
    const outcome = await run.result();
    if (outcome.status === "suspended" && order.left !== undefined) {
      order.left();
      await untilAborted(new Promise<never>(() => undefined), signal);
    }
    return toEnd(outcome);
  } catch (error) {
    if (signal.aborted) return { status: "aborted", error: "it was aborted" };
    const text = isThrown(error, AgentError) ? error.message : quoteForeign(thrownText(error));
    return { status: "error", error: text };
  } finally {
    asked();
  }
}

function toEnd({ status, text, error }: RunOutcome): JobEnd {
  if (status === "completed") return { status, text: compact(text) };
  if (status === "error") return { status, error: compact(error?.message ?? "it failed") };
  return { status: "aborted", error: "it was aborted" };
}
