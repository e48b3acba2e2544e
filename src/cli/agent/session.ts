// One run of a coding agent: its private configuration, its variables, its watched files, and the hosts that it must not reach.

import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createSecretFinder, SECRET_RULES, secretsOf, type NotedFilter } from "../../cassette/index.js";
import { makeFolder } from "../child/spawn.js";
import { CliError } from "../errors.js";
import type { CommandIo } from "../terminal/io.js";
import { CODING_AGENTS, type AgentName, type CodingAgent } from "./agents.js";
import { createProviderTest } from "./provider-hosts.js";
import { watchWorkspace, type Workspace } from "./workspace.js";

export interface AgentSession {
  readonly name: AgentName;
  readonly filters: readonly NotedFilter[];
  readonly workspace: Workspace;
  /** True for the host of a model vendor. */
  readonly isProvider: (host: string) => boolean;
  /** True for our server, once configured. Some agents call it through itself, because they do not read NO_PROXY. */
  readonly isDoor: (host: string, port: number) => boolean;
  /** Writes the configuration. Resolves to the variables of the agent's process. `url` is that of our server. */
  configure(url: string): Promise<Record<string, string>>;
  /** Removes the configuration. */
  close(): Promise<void>;
}

export interface AgentOptions {
  readonly agent: AgentName;
  /** Paths in the working folder that are not watched. */
  readonly except: readonly string[];
  /** The base URL of the vendor, while recording. */
  readonly target?: URL;
  readonly keepsContents?: boolean;
}

/** Scans the working folder. Throws `no-key` if the agent would have no key for the vendor. */
export async function openAgentSession(
  { agent: name, except, target, keepsContents = false }: AgentOptions,
  io: CommandIo,
): Promise<AgentSession> {
  const agent: CodingAgent = CODING_AGENTS[name];
  if (target !== undefined) assertKey(name, agent, io);
  const finder = createSecretFinder({ rules: SECRET_RULES, values: secretsOf(io.env) });
  const keepsText = (text: string): boolean => finder(text).length === 0;
  const folder = await makeFolder(`playhead-${name}-`);
  let door: URL | undefined;
  try {
    const workspace = await watchWorkspace({
      agent: name,
      folder: io.cwd,
      except,
      ...(keepsContents ? { keepsText } : {}),
    });
    return {
      ...{ name, workspace, filters: agent.filters },
      isDoor: (host, port) => door?.host === `${host}:${String(port)}`,
      isProvider: createProviderTest(target === undefined ? [] : [target]),
      async configure(url) {
        for (const [path, text] of Object.entries(agent.files?.(url, folder) ?? {})) {
          await mkdir(dirname(join(folder, path)), { recursive: true });
          await writeFile(join(folder, path), text);
        }
        door = new URL(url);
        return { ...throughProxy(url, io.env), ...agent.variables(url, folder), PWD: io.cwd };
      },
      close: () => rm(folder, { recursive: true, force: true, maxRetries: 3 }),
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

function assertKey(name: AgentName, { keys }: CodingAgent, { env }: CommandIo): void {
  if (keys.some((key) => (env[key] ?? "") !== "")) return;
  const what = `none of ${keys.join(", ")} is set, so ${name} cannot reach its vendor`;
  const hint = "Set a key. The agent gets a configuration folder of its own, so a login in yours is not used.";
  throw new CliError("usage", what, hint);
}

/** Variables that send the agent's https requests through our server. Requests to this machine go directly. */
function throughProxy(url: string, env: CommandIo["env"]): Record<string, string> {
  const direct = ["127.0.0.1", "localhost", "::1", env["NO_PROXY"] ?? env["no_proxy"] ?? ""].filter(
    (host) => host !== "",
  );
  const noProxy = direct.join(",");
  // Node itself reads the others only with NODE_USE_ENV_PROXY, from versions 22.21 and 24 on.
  return { HTTPS_PROXY: url, https_proxy: url, NO_PROXY: noProxy, no_proxy: noProxy, NODE_USE_ENV_PROXY: "1" };
}
