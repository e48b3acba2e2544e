// The eight verbs as functions, bound to an agent, its memory and a signal.

import { AgentError } from "../errors.js";
import { assertNotAborted } from "../tools/abort.js";
import { VERB_NAMES, type VerbBodies, type VerbContext, type VerbName, type VerbSet } from "../tools/verbs.js";

type VerbArgs = Parameters<VerbSet[VerbName]>[0];

/** Each verb rejects with `aborted` once the signal has fired, and with `capability-missing` if it has no body. */
export function bindVerbs(verbs: VerbBodies | undefined, context: VerbContext): VerbSet {
  const bound = VERB_NAMES.map((name) => [name, async (args: VerbArgs) => callVerb(verbs, name, args, context)]);
  return Object.fromEntries(bound) as VerbSet;
}

export async function callVerb(
  verbs: VerbBodies | undefined,
  name: VerbName,
  args: VerbArgs,
  context: VerbContext,
): Promise<unknown> {
  assertNotAborted(context.signal);
  const body = verbs?.[name];
  if (typeof body !== "function") {
    throw new AgentError("capability-missing", `the runtime has no body for ${name}`, {
      hint: `Pass \`verbs\` with ${name} to createRuntime or createPluck.`,
    });
  }
  return body(args, context);
}
