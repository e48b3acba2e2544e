// The eight verbs as functions, bound to an agent, its memory and a signal.

import { AgentError } from "../errors.js";
import { assertNotAborted } from "../tools/abort.js";
import { VERB_NAMES, type VerbBodies, type VerbContext, type VerbName, type VerbSet } from "../tools/verbs.js";

/** Each verb rejects with `aborted` once the signal has fired, and with `capability-missing` if it has no body. */
export function bindVerbs(verbs: VerbBodies | undefined, context: VerbContext): VerbSet {
  const bound = {} as { -readonly [Name in VerbName]: VerbSet[Name] };
  for (const name of VERB_NAMES) bound[name] = async (args) => callVerb(verbs, name, args, context);
  return bound;
}

export async function callVerb(
  verbs: VerbBodies | undefined,
  name: VerbName,
  args: Parameters<VerbSet[VerbName]>[0],
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
