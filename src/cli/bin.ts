#!/usr/bin/env node
// The `cassette` command: the only file that touches the process. It prints the version before it loads anything but the version and
// the exit codes.

import { EXIT } from "./exit-codes.js";
import { VERSION, VERSION_FLAGS } from "./version.js";

let isLost = false;

// A reader such as `head` may close the pipe early, which is fine. After any other error, output is lost.
function watch(stream: NodeJS.WriteStream, name: string): void {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    process.exitCode = EXIT.failed;
    if (!isLost) process.stderr.write(`error: ${name} cannot be written to: ${error.message}\n`);
    isLost = true;
  });
}

async function run(argv: readonly string[]): Promise<void> {
  const [{ runCli }, { lazyDisk }] = await Promise.all([import("./main.js"), import("./disk.js")]);
  watch(process.stderr, "stderr");
  const exitCode = await runCli(argv, {
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
}

const argv = process.argv.slice(2);
watch(process.stdout, "stdout");
if (argv.length === 1 && VERSION_FLAGS.includes(argv[0] ?? "")) process.stdout.write(`${VERSION}\n`);
else await run(argv);
