// `cassette serve`: replay for clients that speak a vendor's wire.

import type { Command } from "commander";
import type { CommandIo } from "../io.js";
import { collectPaths } from "../path.js";
import { DEFAULT_PORT, parsePort } from "../port.js";
import type { ServeOptions } from "../serve/serve.js";

/** Declares `cassette serve`; what it does is loaded when it runs. */
export function serveCommand(program: Command, io: CommandIo): void {
  program
    .command("serve")
    .description("answer the OpenAI, Anthropic and Ollama wires from cassettes, strictly, until stopped")
    .argument("<path...>", "cassette files or folders", collectPaths)
    .option("--port <n>", "port to listen on; 0 takes any that is free", parsePort, DEFAULT_PORT)
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--once", "stop when every turn was used, or at the first miss")
    .option("--json", "print one JSON document when stopped")
    .action(async (paths: string[], options: ServeOptions) => {
      const { serve } = await import("../serve/serve.js");
      await serve(paths, options, io);
    });
}
