// The failure of a file that a command could not check, because its code failed or its thread died.

import type { Lost } from "../host/index.js";
import { CliError, toFailure, type Failure } from "./errors.js";

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
