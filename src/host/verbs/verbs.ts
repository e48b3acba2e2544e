// createVerbs: the eight verbs over HTTP and one folder, for `createRuntime`. Each has its own file. This one checks their arguments,
// because a tool's code may call a verb with unchecked arguments.

import {
  createArgumentCheck,
  VERBS,
  type JsonObject,
  type VerbBodies,
  type VerbBody,
  type VerbContext,
  type VerbName,
} from "../../core/index.js";
import { act, type ActArgs } from "./act.js";
import { connect } from "./connect.js";
import { context } from "./context.js";
import { dowse } from "./dowse.js";
import { extract, type ExtractArgs } from "./extract.js";
import { createWorld, type VerbsOptions } from "./options.js";
import { probe } from "./probe.js";
import { sense } from "./sense.js";
import { shape } from "./shape.js";

/**
 * Makes bodies for all eight verbs. To replace one, spread them: `{ ...createVerbs(), extract: mine }`. They reject with `ToolArgError` for
 * arguments that do not match the schema, and with {@link VerbError} for other failures. An aborted call rejects with the signal's reason.
 * Throws `AgentError` `invalid-options`.
 */
export function createVerbs(options: VerbsOptions = {}): VerbBodies {
  const world = createWorld(options);
  return {
    connect: checked("connect", (args: { uri: string }, { signal }) => connect(args, world, signal)),
    extract: checked("extract", (args: ExtractArgs, { signal }) => extract(args, world, signal)),
    shape: checked("shape", (args: { template: string; data?: JsonObject }) => shape(args)),
    act: checked("act", (args: ActArgs, { signal }) => act(args, world, signal)),
    sense: checked("sense", (args: { uri: string; measure: string }, { signal }) => sense(args, world, signal)),
    probe: checked("probe", (args: { uri: string }, { signal }) => probe(args, world, signal)),
    context: checked("context", (args: { query?: string }, { memory }) => context(args, memory)),
    dowse: checked("dowse", (args: { query: string; below?: string }, { signal }) => dowse(args, world, signal)),
  };
}

/** The schema gives the arguments their type. */
function checked(name: VerbName, body: (args: never, context: VerbContext) => unknown): VerbBody {
  const check = createArgumentCheck(name, VERBS[name].schema);
  return async (args, verbContext) => {
    verbContext.signal.throwIfAborted();
    return body(check(args) as never, verbContext);
  };
}
