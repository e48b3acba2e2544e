// A coordinator on a durable host with helpers in the background, and a worker that carries their runs out one by one.

import { Agent, resumeAndDrain } from "../../src/core/session/agent.js";
import type { AgentOptions } from "../../src/core/session/options.js";
import type { ExecutionHost } from "../../src/core/session/ports/execution-host.js";
import type { RunRecord } from "../../src/core/session/ports/run-store.js";
import type { LlmMessage } from "../../src/core/model/message.js";
import type { LlmTurnRequest, LlmTurnResponse } from "../../src/core/model/provider.js";
import type { Ports } from "../../src/core/ports.js";
import { ask, say } from "./script.js";
import { handPorts, historyOf, memoryHost, openLedger, pureModel } from "./execution.js";
import { launch, taskIdsIn } from "./subagents.js";

export const DESK = "agent:desk";

/** Launches the helpers for an input, retrieves what a reminder names, and says what it read. */
export function lead(helpers: readonly string[]) {
  return (messages: readonly LlmMessage[]): LlmTurnResponse => {
    const last = messages.at(-1) as LlmMessage;
    const text = String(last.content);
    if (text.startsWith("<system-reminder>"))
      return ask(taskIdsIn([last]).map((task_id) => ({ name: "background_output", arguments: { task_id } })));
    if (last.role === "user") return text === "hello" ? say("hi") : ask(helpers.map((name) => launch(name)));
    return say(text.includes('"running"') ? "launched" : "done");
  };
}

export interface StandOptions extends Partial<AgentOptions> {
  readonly helpers?: readonly string[];
  /** The answers of a helper. Default: it looks once, then says what it found. */
  readonly answers?: (name: string) => readonly (LlmTurnResponse | Error)[];
  readonly open?: (ports: Ports) => Promise<ExecutionHost>;
  readonly lead?: (messages: readonly LlmMessage[]) => LlmTurnResponse | Promise<LlmTurnResponse>;
}

const openMemory = async (ports: Ports) => memoryHost(ports, { backgroundSubagents: "durable" });

export async function jobStand(options: StandOptions = {}) {
  const { helpers = ["a", "b", "c"], open = openMemory, answers, lead: own = lead(helpers), ...rest } = options;
  const ports = handPorts();
  const host = await open(ports);
  const ledger = openLedger();
  const asked: LlmTurnRequest[] = [];
  const model = {
    async turn(request: LlmTurnRequest): Promise<LlmTurnResponse> {
      asked.push({ ...request, messages: [...request.messages] });
      return own(request.messages);
    },
  };
  const found = (name: string) => [ask([{ name: "look", id: "call_0" }]), say(`${name} found it`)];
  const helperModels = new Map(helpers.map((name) => [name, pureModel((answers ?? found)(name))]));
  const agent = (on: ExecutionHost = host, more: Partial<AgentOptions> = {}) => {
    const tools = [ledger.tool("look", { retryPolicy: "idempotent" })];
    const subagents = Array.from(
      helperModels,
      ([name, helper]) => new Agent({ name, description: `The ${name}.`, model: helper, tools, ports }),
    );
    return new Agent({ name: "desk", model, subagents, ports, ...rest, ...more, host: on });
  };
  return { ports, host, ledger, asked, model, helperModels, agent };
}

export type JobStand = Awaited<ReturnType<typeof jobStand>>;

/** The open runs of a session and of its jobs, in the order of their creation. */
export async function openRuns({ store }: ExecutionHost, sessionKey = "default"): Promise<readonly RunRecord[]> {
  const own = await store.runs.listOpen(DESK, { sessionKey });
  return [...own, ...(await store.runs.listOpen(DESK, { parentSessionKey: sessionKey }))];
}

/** Carries out all open runs that `isOurs` takes, until none is left. */
export async function workOff(
  host: ExecutionHost,
  agent: Agent,
  isOurs: (run: RunRecord) => boolean = () => true,
): Promise<void> {
  for (let rounds = 0; rounds < 50; rounds++) {
    const open = (await openRuns(host)).filter(isOurs);
    if (open.length === 0) return;
    for (const { runId } of open) await resumeAndDrain(agent, runId);
  }
  throw new Error("some runs stay open");
}

export const isJob = ({ kind }: RunRecord): boolean => kind === "background-subagent";

/** The reminders in a session's history. */
export async function remindersOf(host: ExecutionHost, key = "default"): Promise<readonly string[]> {
  return (await historyOf(host, key))
    .filter(({ role, content }) => role === "user" && String(content).startsWith("<system-reminder>"))
    .map(({ content }) => String(content));
}
