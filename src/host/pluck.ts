// createPluck with the eight verbs in place: what `createPluck` of the core makes, for a program that runs on Node and reaches
// the web and its own folder.

import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { parse } from "node:path";
import { createPluck as createBarePluck, type PluckInstance, type PluckOptions } from "../core/index.js";
import { createVerbs } from "./verbs/verbs.js";

/**
 * An instance whose verbs work: `verbs` defaults to {@link createVerbs} with the current folder as its root. There are no file
 * targets where the current folder is the home folder or the root of a file system. An agent that leaves out `tools` gets the
 * seven verbs that only read; `act` must be listed. Throws `AgentError` `invalid-options` as `createPluck` of `playhead` does.
 */
export function createPluck(options: PluckOptions = {}): PluckInstance {
  const { verbs = createVerbs(rootOption()) } = options;
  return createBarePluck({ ...options, verbs });
}

/** A home folder holds keys, and the root of a file system everything: neither is opened to a model unless somebody says so. */
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
