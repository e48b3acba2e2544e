// The error of a wrong option of an agent.

/** Begins with "Agent". */
export function refuse(what: string, advice: string, cause?: unknown): TypeError {
  return new TypeError(`Agent ${what}. ${advice}`.trim(), cause === undefined ? undefined : { cause });
}
