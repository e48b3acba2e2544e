// Checks the agents that are to be recorded or replayed.

import { CassetteError } from "../errors.js";

/** Throws `invalid-options` unless `agents` is a list of agents with distinct ids that a file can hold. */
export function assertAgents(owner: string, agents: readonly { readonly id: string }[]): void {
  if (!Array.isArray(agents) || agents.length === 0) throw bad(`${owner} needs a list of agents, at least one`);
  const ids = new Set<string>();
  agents.forEach((agent: { id?: unknown } | null | undefined, index) => {
    const id = agent?.id;
    if (typeof id !== "string" || id === "") throw bad(`agent ${index} of ${owner} has no id`);
    if (!id.isWellFormed()) throw bad(`the id of agent ${index} of ${owner} holds a lone surrogate`);
    if (ids.has(id)) throw bad(`two agents of ${owner} have the id ${JSON.stringify(id)}`);
    ids.add(id);
  });
}

function bad(what: string): CassetteError {
  return new CassetteError("invalid-options", what, {
    hint: "Pass the definitions that createRuntime takes, each with its own id.",
  });
}
