// `cassette replay`: runs a command that must be answered from its cassettes.

import type { Command } from "commander";
import type { AgentName } from "../agent/agents.js";
import { agentOption } from "../options/values.js";
import { splitCommand } from "../terminal/command-action.js";
import type { CommandIo } from "../terminal/io.js";

export function replayCommand(program: Command, io: CommandIo): void {
  program
    .command("replay")
    .description("run a command in replay mode, and list the cassettes it used")
    .usage("[options] -- <command...>\n       cassette replay --agent <name> [path...] -- <command...>")
    .argument("<command...>", "command to run, with its arguments; with --agent, its recordings before --")
    .passThroughOptions()
    .addOption(agentOption("replay"))
    .option("--allow-unused", "with --agent: report unused recorded turns without failing")
    .option("--json", "print one JSON document; the output of the command goes to stderr")
    .action(async (given: string[], { agent, allowUnused = false, json = false }: ReplayFlags) => {
      if (agent !== undefined) {
        const { readCommand, replayAgent } = await import("../agent/run.js");
        const { before, command } = splitCommand(given, program);
        return replayAgent(before, { agent, allowUnused, json, command: readCommand(command) }, io);
      }
      if (allowUnused) {
        const { usageError } = await import("../errors.js");
        throw usageError("--allow-unused was given without --agent", "Unused turns fail a test in done().");
      }
      const { runWithCassettes } = await import("../child/run-with-cassettes.js");
      await runWithCassettes({ verb: "replay", mode: "replay", command: given, json }, io);
    });
}

interface ReplayFlags {
  agent?: AgentName;
  allowUnused?: boolean;
  json?: boolean;
}
