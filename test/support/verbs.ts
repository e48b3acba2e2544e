// Bodies for the eight verbs that only say what they were called with.

import { VERB_NAMES, type VerbBodies, type VerbBody } from "../../src/core/tools/verbs.js";

export interface VerbUse {
  verb: string;
  args: unknown;
  agentId: string;
  signal: AbortSignal;
}

/** Each verb answers its own name; `used` is told of every call. */
export function verbBodies(used: (use: VerbUse) => void = () => undefined): VerbBodies {
  const body =
    (verb: string): VerbBody =>
    (args, { agentId, signal }) => {
      used({ verb, args, agentId, signal });
      return `${verb} was here`;
    };
  return Object.fromEntries(VERB_NAMES.map((verb) => [verb, body(verb)])) as unknown as VerbBodies;
}
