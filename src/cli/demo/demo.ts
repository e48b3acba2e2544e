// Tells the demo's story on the terminal, in a folder that is the demo's own.

import { join } from "node:path";
import { CliError } from "../errors.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { createPrinter, writeJson } from "../terminal/output.js";
import { tellStory, type DemoStep } from "./story.js";

export interface DemoOptions {
  out: string;
  json?: boolean;
}

/** Marks a folder as written by a demo, which may then write it again. */
const MARKER = "made-by-cassette-demo.txt";

export async function demo({ out, json = false }: DemoOptions, io: CommandIo): Promise<void> {
  const print = createPrinter(io);
  await claimFolder(out, io);
  const steps: DemoStep[] = [];
  const result = await tellStory(out, filesAt(io), (step) => {
    steps.push(step);
    if (json) return;
    print({ look: "bold", text: `${steps.length}. ${step.title}` });
    for (const line of step.lines) print("   ", line);
    print("");
  });
  if (json) {
    writeJson(io, "demo", 0, { ...result, steps });
    return;
  }
  print("Everything is in ", { look: "bold", text: out }, ". Have a look:");
  print("   npx playhead show ", result.cassettes[0] ?? out);
  print("   npx playhead diff ", `${result.cassettes.join(" ")} --content`);
  print("   npx playhead verify ", join(out, "tampered"));
}

async function claimFolder(out: string, io: CommandIo): Promise<void> {
  const files = filesAt(io);
  const present = await files.list(out, "");
  if (present !== undefined && present.length > 0 && !present.includes(MARKER)) {
    throw new CliError(
      "path-taken",
      `${out} contains files that the demo did not write`,
      "Name another folder with --out.",
      out,
    );
  }
  const text = "Written by `cassette demo`, which replaces what is here.\n";
  const marked = await files.write(join(out, MARKER), text, { overwrite: true });
  if (marked.kind !== "failed") return;
  throw new CliError("path-taken", marked.message, "Name another folder with --out.", out);
}
