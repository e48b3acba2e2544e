// `cassette agent`: one agent as a process, with JSON lines on its standard streams.

import type { Command } from "commander";
import { parsePath } from "../options/values.js";
import type { AgentFlags } from "../process/agent.js";
import type { CommandIo } from "../terminal/io.js";

export function agentCommand(program: Command, io: CommandIo): void {
  program
    .command("agent")
    .description("run one agent as a process that reads and writes lines of JSON")
    .argument("<spec>", "spec of the agent, a JSON file", parsePath)
    .option("--cassette <file>", "cassette to record or replay, as CASSETTE_MODE says", parsePath)
    .option("--provider <name>", "anthropic or openai, if the spec names none")
    .option("--model <model>", "model, if the spec names none")
    .option("--telemetry", "write telemetry to stdout, and name the stream of each line")
    .action(async (spec: string, flags: AgentFlags) => {
      const { runAgent } = await import("../process/agent.js");
      await runAgent(spec, flags, io);
    });
}
