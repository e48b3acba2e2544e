// Bodies for the eight verbs that only report their calls.

import { VERB_NAMES, type VerbBodies, type VerbBody } from "../../src/core/tools/verbs.js";

export interface VerbUse {
  verb: string;
  args: unknown;
  agentId: string;
  signal: AbortSignal;
}

/** Each verb answers with its own name. `used` gets every call. */
export function verbBodies(used: (use: VerbUse) => void = () => undefined): VerbBodies {
  const body =
    (verb: string): VerbBody =>
    (args, { agentId, signal }) => {
      used({ verb, args, agentId, signal });
      return `${verb} was here`;
    };
  return Object.fromEntries(VERB_NAMES.map((verb) => [verb, body(verb)])) as unknown as VerbBodies;
}
