#!/usr/bin/env node
// The `cassette` command: the only file that touches the process.

import { lazyDisk } from "./disk.js";
import { EXIT } from "./exit-codes.js";
import { runCli } from "./main.js";

let isLost = false;

// A reader such as `head` may close the pipe early; that is no failure of ours. Anything else is: what was to be said is lost.
function watch(stream: NodeJS.WriteStream, name: string): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    process.exitCode = EXIT.failed;
    if (!isLost) process.stderr.write(`error: ${name} cannot be written to: ${error.message}\n`);
    isLost = true;
  });
}

watch(process.stdout, "stdout");
watch(process.stderr, "stderr");

const exitCode = await runCli(process.argv.slice(2), {
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
  stdin: () => process.stdin,
  env: process.env,
  cwd: process.cwd(),
  isTTY: process.stdout.isTTY,
  stderrIsTTY: process.stderr.isTTY,
  files: lazyDisk(),
});
process.exitCode = isLost ? EXIT.failed : exitCode;
