// The tools of one agent of a fabric, which run in this process. Their list is in a file that the agent reads.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { plural, type CustomTool, type JsonObject, type JsonValue, type Ports } from "../../../core/index.js";
import { ToolHost } from "../../../core/process/index.js";
import { MAX_RUNNING_TOOL_CALLS } from "../../limits.js";
import type { PrivateFolder } from "./private-folder.js";

export class ToolDesk {
  /** Variables for the agent. */
  readonly env: Readonly<Record<string, string>>;
  readonly #host: ToolHost;
  readonly #end = new AbortController();
  #running = 0;

  constructor(host: ToolHost, list: string) {
    this.#host = host;
    this.env = { PLUMB_MCP_TOOLS: list };
  }

  /** Undefined once the agent has ended. Rejects with an error that the agent must not see. */
  async answer(request: JsonValue): Promise<JsonObject | undefined> {
    if (this.#running >= MAX_RUNNING_TOOL_CALLS)
      return this.#host.refuse(request, `${plural(MAX_RUNNING_TOOL_CALLS, "call")} of this agent are already running`);
    this.#running += 1;
    try {
      return await this.#host.answer(request, this.#end.signal);
    } catch (error) {
      if (this.#end.signal.aborted) return undefined;
      throw error;
    } finally {
      this.#running -= 1;
    }
  }

  /** Aborts the calls that still run. */
  close(): void {
    this.#end.abort(new Error("the agent has ended"));
  }
}

/** Undefined if the spec names no tools. Rejects with `AgentError` `invalid-options` for a tool that cannot be used. */
export async function openTools(
  {
    name,
    uses,
    tools,
  }: { readonly name: string; readonly uses: readonly string[]; readonly tools: readonly CustomTool[] },
  folder: PrivateFolder,
  ports: Ports,
): Promise<ToolDesk | undefined> {
  if (uses.length === 0) return undefined;
  const used = tools.filter((tool) => uses.includes(tool.name));
  const host = new ToolHost(name, used, ports);
  const list = join(await folder.path(), `${name}.tools.json`);
  await writeFile(list, JSON.stringify(host.list));
  return new ToolDesk(host, list);
}
