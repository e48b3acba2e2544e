// `cassette fork`: runs a command that replays one cassette up to a turn, and records a new cassette from there.

import type { Command } from "commander";
import type { AgentName } from "../agent/agents.js";
import { agentOption, wholeNumber, parsePath } from "../options/values.js";
import type { CommandIo } from "../terminal/io.js";

export function forkCommand(program: Command, io: CommandIo): void {
  program
    .command("fork")
    .description("replay a cassette up to a turn, and record a new one from there")
    .usage(
      "[options] <file> -- <command...>\n       cassette fork --agent <name> [--model <model>] [options] <file> -- <command...>",
    )
    .argument("<file>", "cassette to fork; every other cassette is replayed", parsePath)
    .argument("<command...>", "command to run, with its arguments")
    .requiredOption("--from, --at <turn>", "first live turn, counted from 0", wholeNumber(0, 999_999_999))
    .requiredOption("--out <file>", "new cassette; it must not exist. With --agent also a folder", parsePath)
    .addOption(agentOption("fork"))
    .option("--model <model>", "with --agent: model to ask for from the first live turn on")
    .option("--target <url>", "with --agent: base URL of the vendor (default: the vendor's own)")
    .option("--json", "print one JSON document; the output of the command goes to stderr")
    .action(async (file: string, command: string[], { agent, model, target, ...options }: ForkFlags) => {
      if (agent !== undefined) {
        const { forkAgent } = await import("../agent/fork.js");
        return forkAgent(file, command, { ...options, agent, model, target }, io);
      }
      if (model !== undefined || target !== undefined) {
        const { usageError } = await import("../errors.js");
        throw usageError("--model and --target were given without --agent", "A test names its model itself.");
      }
      const { fork } = await import("../fork/fork.js");
      await fork(file, command, options, io);
    });
}

interface ForkFlags {
  at: number;
  out: string;
  agent?: AgentName;
  model?: string;
  target?: string;
  json?: boolean;
}
