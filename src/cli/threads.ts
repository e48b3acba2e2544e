// The threads of a command: their script, and the failure of a file whose code failed or whose thread died.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import type { Lost } from "../host/index.js";
import { CliError, toFailure, type Failure } from "./errors.js";

/** The compiled `src/cli/<command>/thread.ts`. package.json names it, because a relative path would depend on the build. */
export function threadScript(command: "verify" | "diff" | "drift" | "facts"): URL {
  return pathToFileURL(createRequire(import.meta.url).resolve(`#threads/${command}`));
}

export function lostFailure(file: string, why: Lost): Failure {
  switch (why.kind) {
    case "threw":
      return toFailure(Object.assign(new Error(why.message), { name: why.name }), file);
    case "died": {
      const hint = "Run it on this file alone with --jobs 1. NODE_OPTIONS=--max-old-space-size=8192 gives more memory.";
      return toFailure(new CliError("thread-died", `the thread that read it died: ${why.message}`, hint, file));
    }
  }
}
