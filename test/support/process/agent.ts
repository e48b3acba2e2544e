// An agent process inside of the test: its streams are in memory, and a script answers it.

import { PassThrough } from "node:stream";
import { echoProvider } from "../../../src/core/providers/echo.js";
import { scriptedProvider, type ScriptStep } from "../../../src/core/providers/scripted.js";
import type { LlmProviderAdapter, LlmTurnResponse } from "../../../src/core/model/provider.js";
import type { CustomTool } from "../../../src/core/tools/tool.js";
import { readSpec } from "../../../src/core/process/agent/spec.js";
import type { OfferedTool } from "../../../src/core/process/tools/list.js";
import type { InPort, OutPort } from "../../../src/core/process/wire/ports.js";
import { runAgentProcess } from "../../../src/host/process/agent/agent.js";
import type { AgentProcessEnd, AgentProcessOptions } from "../../../src/host/process/agent/options.js";
import { createReporter } from "../../../src/host/process/reporter.js";
import { openStdio } from "../../../src/host/process/stdio.js";
import { wireTools } from "../../../src/host/process/tool-wire.js";

/** A turn that answers with this text. */
export function says(content: string): LlmTurnResponse {
  return { message: { role: "assistant", content }, finalAnswer: content, stopReason: "stop" };
}

/** A turn that calls a tool. */
export function calls(name: string, args: object, id = "call_1"): LlmTurnResponse {
  const toolCalls = [{ id, name, arguments: args as never }];
  return { message: { role: "assistant", content: "", toolCalls }, stopReason: "toolUse" };
}

export interface Given {
  readonly spec?: object;
  readonly steps?: readonly ScriptStep[];
  readonly provider?: LlmProviderAdapter;
  readonly tools?: readonly CustomTool[];
  /** Tools over its streams. */
  readonly offered?: readonly OfferedTool[];
  readonly documents?: readonly { id: string; text: string }[];
  readonly side?: readonly (InPort | OutPort)[];
  readonly debug?: boolean;
  readonly stop?: AbortSignal;
  readonly signal?: AbortSignal;
  readonly schedule?: AgentProcessOptions["schedule"];
  readonly ports?: AgentProcessOptions["ports"];
}

export interface TestAgent {
  readonly input: PassThrough;
  /** Lines of the output so far. */
  readonly lines: string[];
  /** Lines of standard error so far. */
  readonly errors: Record<string, unknown>[];
  readonly ended: Promise<AgentProcessEnd>;
  /** Resolves once the output has this many lines. */
  until(count: number): Promise<void>;
  send(...values: unknown[]): void;
}

export function startAgent(given: Given): TestAgent {
  const { steps = [], offered = [], documents = [], side = [], debug = false, stop, signal } = given;
  const provider = given.provider ?? (steps.length > 0 ? scriptedProvider([...steps]) : echoProvider());
  const spec = readSpec({ name: "poet", model: "test-1", ...given.spec });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const lines: string[] = [];
  const errors: Record<string, unknown>[] = [];
  const waiting: { count: number; go: () => void }[] = [];
  let rest = "";
  output.on("data", (chunk: Buffer) => {
    rest += chunk.toString();
    const parts = rest.split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
    for (const { count, go } of waiting) if (lines.length >= count) go();
  });
  const reporter = createReporter((text) => void errors.push(JSON.parse(text) as Record<string, unknown>));
  const wire = openStdio({ input, output }, { side, warn: (text) => reporter.warn(text) });
  const tools = given.tools ?? wireTools(offered, wire, reporter);
  const ended = runAgentProcess({
    loaded: { spec, documents, providerName: "anthropic" },
    ...{ provider, wire, reporter, tools, debug },
    ...(stop === undefined ? {} : { stop }),
    ...(signal === undefined ? {} : { signal }),
    ...(given.schedule === undefined ? {} : { schedule: given.schedule }),
    ...(given.ports === undefined ? {} : { ports: given.ports }),
  });
  return {
    ...{ input, lines, errors, ended },
    until: (count) =>
      new Promise((resolve) => {
        if (lines.length >= count) resolve();
        else waiting.push({ count, go: resolve });
      }),
    send: (...values) => {
      for (const value of values) input.write(`${typeof value === "string" ? value : JSON.stringify(value)}\n`);
    },
  };
}

/** What an agent wrote for these lines of input. */
export async function runAgent(
  given: Given,
  ...values: unknown[]
): Promise<Omit<TestAgent, "ended"> & { end: AgentProcessEnd }> {
  const agent = startAgent(given);
  agent.send(...values);
  agent.input.end();
  const end = await agent.ended;
  return { ...agent, end };
}

/** A control message as its line. */
export const control = (payload: object): string => JSON.stringify({ __port: "ctrl_in", payload });

export const CONTROL = ["ctrl_in", "ctrl_out"] as const;

export const TOOLS = ["tool_req", "tool_resp"] as const;
