// Carries out a part of a run without an agent: for hosts that keep the state of their sessions themselves.

import { isPlainObject } from "../../canon/value.js";
import { AgentError, invalidOptions } from "../../errors.js";
import { SESSION_GRACE_MS } from "../../limits.js";
import { createInMemoryRuntimeMemory } from "../../memory/memory.js";
import type { LlmMessage } from "../../model/message.js";
import type { LlmProviderAdapter } from "../../model/provider.js";
import { systemPorts } from "../../ports.js";
import { createReceipts } from "../../runtime/receipts.js";
import { showValue } from "../../text/show.js";
import { createHlc } from "../../time/hlc.js";
import { readInput } from "../input.js";
import type { House } from "../live/house.js";
import { Session } from "../live/session.js";
import type { RuntimeLlm } from "../model/runtime-llm.js";
import { readOptions } from "../options.js";
import { Plugins } from "../plugins/plugins.js";
import type { ExecutionHost } from "../ports/execution-host.js";
import type { Run } from "../run/run.js";
import { askAgain } from "../state/ask-store.js";
import { toSnapshot } from "../state/snapshot.js";
import type { AgentTools } from "../tools.js";
import type { OutsideState } from "./stored-run/claim.js";
import { ExecutionKeeper } from "./execution-keeper.js";
import { leaseLost } from "./store-errors.js";

export interface ResumeRunOptions {
  readonly host: ExecutionHost;
  readonly runId: string;
  readonly model: LlmProviderAdapter | RuntimeLlm;
  readonly tools?: AgentTools;
  /** Interrupts the run: its whole steps are kept. */
  readonly signal?: AbortSignal;
  /** Steps that may begin. With 0 the run is left as it is. */
  readonly budget: { readonly maxSteps: number };
  /** The history of the session before the run. */
  readonly loadState: () => Promise<{ readonly history: readonly LlmMessage[] }>;
  /** Called with the history when the run is over, and perhaps again with the same one. */
  readonly saveState: (state: { readonly history: readonly LlmMessage[] }) => Promise<void>;
}

export interface ResumedRun {
  readonly status: "completed" | "suspended" | "aborted";
  /** Steps that ended in this call. */
  readonly steps: number;
}

/**
 * Goes on with a run for a number of steps. Other runs of the session do not matter to it. Rejects with the error that ended the run,
 * with `lease-lost` if another process has the run or it is over, and with `invalid-options`.
 */
export async function resumeRun(options: ResumeRunOptions): Promise<ResumedRun> {
  const { host, runId, model, tools, signal, budget } = options;
  const { maxSteps } = (budget ?? {}) as Partial<typeof budget>;
  if (!Number.isSafeInteger(maxSteps) || maxSteps === undefined)
    throw invalidOptions(`budget.maxSteps of resumeRun is ${showValue(maxSteps)}`, "Pass a whole number.");
  if (maxSteps <= 0) return { status: "suspended", steps: 0 };
  const record = await askAgain(systemPorts, "get", () => host.store.runs.get(runId));
  if (record === null) throw invalidOptions(`there is no run ${showValue(runId)}`, "Pass the runId of a run.");
  if (record.kind.endsWith("subagent") || !isPlainObject(record.input)) {
    const what = `run ${showValue(runId)} has the kind ${record.kind}, which resumeRun cannot carry out`;
    throw invalidOptions(what, "Pass the id of a turn, such as that of the run that launched it.");
  }
  const house = houseOf(tools === undefined ? { model } : { model, tools });
  const keeper = new ExecutionKeeper({
    ...{ host, namespace: record.ownerNamespace, ports: systemPorts, outside: outsideOf(options) },
    exclusive: false,
    takeOver: async () => false,
  });
  const taken = await keeper.take(runId);
  if (taken === undefined) throw leaseLost(runId);
  const { sessionKey, input } = taken.record;
  const session = new Session(sessionKey, house, keeper);
  const run = session.resume(runId, readInput(input), { maxSteps });
  const interrupt = (): void => session.interrupt();
  if (signal?.aborted === true) interrupt();
  signal?.addEventListener("abort", interrupt, { once: true });
  try {
    return await drain(run);
  } finally {
    signal?.removeEventListener("abort", interrupt);
    await session.leave(runId, SESSION_GRACE_MS);
  }
}

async function drain(run: Run): Promise<ResumedRun> {
  let steps = 0;
  for await (const { type } of run.events()) if (type === "step-end") steps++;
  const { status, error } = await run.result();
  if (status === "error") throw error ?? new AgentError("store-failed", `run ${run.runId} ended without a reason`);
  return { status, steps };
}

/** The one version that a state of somebody else's has. */
const VERSION = "outside";

function outsideOf({ loadState, saveState }: ResumeRunOptions): OutsideState {
  return {
    async load() {
      const { history } = await loadState();
      return { state: toSnapshot({ history, seq: 0 }), version: VERSION };
    },
    save: ({ history }) => saveState({ history }),
  };
}

function houseOf(own: { model: LlmProviderAdapter | RuntimeLlm; tools?: AgentTools }): House {
  const { definition, openModel } = readOptions(own);
  const hlc = createHlc(systemPorts);
  return {
    ...{ definition, openModel, hlc },
    system: undefined,
    plugins: new Plugins(),
    memory: createInMemoryRuntimeMemory(),
    listener: undefined,
    receipts: createReceipts({}, systemPorts, hlc, "resumeRun"),
    ports: systemPorts,
    accepted: undefined,
  };
}
