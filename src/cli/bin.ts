#!/usr/bin/env node
// The `cassette` command: the only file that touches the process.

import { nodeFiles } from "../host/index.js";
import { runCli } from "./main.js";

// A reader such as `head` may close the pipe early; that is no failure of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

process.exitCode = await runCli(process.argv.slice(2), {
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  env: process.env,
  cwd: process.cwd(),
  isTTY: process.stdout.isTTY,
  stderrIsTTY: process.stderr.isTTY,
  files: nodeFiles(),
});
