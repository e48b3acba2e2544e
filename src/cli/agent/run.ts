// `record --agent` and `replay --agent`: a command that is a coding agent, or starts one, in front of our server.

import { usageError } from "../errors.js";
import { parseTarget } from "../proxy/handler.js";
import { recordProxy, type ProxyOptions } from "../proxy/proxy.js";
import { serve, type ServeOptions } from "../serve/serve.js";
import { untilSignal } from "../serve/listen.js";
import type { CommandIo } from "../terminal/io.js";
import { CODING_AGENTS, type AgentName, type CodingAgent } from "./agents.js";
import { openAgentSession } from "./session.js";

/** The folder of an agent's recordings, unless an option names another. */
export function defaultFolder(agent: AgentName): string {
  return `__cassettes__/${agent}/`;
}

export interface RecordAgentOptions extends Omit<ProxyOptions, "agent" | "target" | "out" | "port"> {
  readonly agent: AgentName;
  readonly target?: string | undefined;
  readonly out?: string | undefined;
  readonly port?: number | undefined;
  /** Keeps the texts of changed files, not only their hashes. */
  readonly keepsContents?: boolean;
}

/** Records the command's conversations and the files that it changed. Exits as {@link recordProxy}. */
export async function recordAgent(given: RecordAgentOptions, io: CommandIo): Promise<void> {
  const { agent: name, keepsContents = false, out = defaultFolder(name), port = 0, ...options } = given;
  const { vendor }: CodingAgent = CODING_AGENTS[name];
  const target = given.target ?? vendor.client.baseURLs[0] ?? "";
  const stop = untilSignal();
  const opening = { agent: name, except: [out], target: parseTarget(target), keepsContents };
  const agent = await openAgentSession(opening, io).catch(releasing(stop.now));
  try {
    await recordProxy({ ...options, target, out, port, agent }, io, stop);
  } finally {
    await agent.close();
  }
}

/** Answers the command from the cassettes and compares the files at its end. Exits as {@link serve}. */
export async function replayAgent(
  paths: readonly string[],
  { agent: name, ...options }: Omit<ServeOptions, "agent" | "port"> & { agent: AgentName },
  io: CommandIo,
): Promise<void> {
  const from = paths.length === 0 ? [defaultFolder(name)] : paths;
  const stop = untilSignal();
  const agent = await openAgentSession({ agent: name, except: from }, io).catch(releasing(stop.now));
  try {
    await serve(from, { ...options, port: 0, agent }, io, stop);
  } finally {
    await agent.close();
  }
}

function releasing(release: () => void): (error: unknown) => never {
  return (error) => {
    release();
    throw error;
  };
}

/** The command. Throws `usage` if it is missing. */
export function readCommand(command: readonly string[] = []): readonly string[] {
  if (command.length > 0) return command;
  throw usageError("--agent was given without a command", "Give the agent's command after --.");
}
