// createPluck with the eight verbs: the instance of the core's `createPluck`, for a program on Node that uses the web and its own folder.

import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { parse } from "node:path";
import { createPluck as createBarePluck, type PluckInstance, type PluckOptions } from "../core/index.js";
import { createVerbs } from "./verbs/verbs.js";

/**
 * Makes an instance with working verbs: `verbs` defaults to {@link createVerbs} with the current folder as its root. There are no file
 * targets if the current folder is the home folder or the root of a file system. An agent without `tools` gets the seven verbs that
 * only read, so `act` must be listed. Throws `AgentError` `invalid-options` like `createPluck` of `playhead`.
 */
export function createPluck(options: PluckOptions = {}): PluckInstance {
  const { verbs = createVerbs(rootOption()) } = options;
  return createBarePluck({ ...options, verbs });
}

/** A home folder has keys, and the root of a file system has everything. A model gets neither by default. */
function rootOption(): { readonly root?: string } {
  const current = realpathSync(process.cwd());
  const isTooWide = current === parse(current).root || current === realHome();
  return isTooWide ? {} : { root: current };
}

function realHome(): string {
  try {
    return realpathSync(homedir());
  } catch {
    return homedir();
  }
}
