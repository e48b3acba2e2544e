// An agent under a host: its sessions, and the sessions of its subagents, which use the same host.

import { seal } from "../../canon/copy.js";
import type { CustomToolContext } from "../../tools/tool.js";
import { JOB_TOOL_TIMEOUT_MS } from "../../limits.js";
import { createArgumentCheck } from "../../tools/argument-check.js";
import type { GrantedTool, ToolSet } from "../../tools/registry.js";
import { closedError } from "../live/closed.js";
import type { House } from "../live/house.js";
import type { Session } from "../live/session.js";
import type { Neighbours } from "../live/neighbours.js";
import { Sessions } from "../live/sessions.js";
import type { AgentRun } from "../run/run.js";
import type { RunKeeper } from "../state/keeper.js";
import type { Arrivals } from "./arrivals.js";
import { Children, type SessionChildren } from "./children.js";
import { CANCEL_TOOL, OUTPUT_TOOL, subagentDefinitions, toolNameOf } from "./definitions.js";
import type { Family } from "./family.js";
import { RESULT_LIMIT, type StoredJobs } from "./jobs.js";
import type { DelegateArgs, OutputArgs, SubagentSeat } from "./seat.js";
import { StoredChildren } from "./stored/children.js";

/** What an agent brings to any host. */
export interface AgentParts {
  readonly house: Omit<House, "family">;
  readonly namespace: string;
  readonly subagents: readonly SubagentParts[];
  readonly arrivals: Arrivals;
}

export interface SubagentParts {
  readonly name: string;
  readonly description: string;
  /** Rejects where the subagent was closed or its plugins failed. */
  parts(): Promise<AgentParts>;
}

/** The host of a top-level agent. */
export interface SiteHost {
  readonly keeper: RunKeeper;
  /** Jobs may run in the background. */
  readonly background: boolean;
  /** Jobs are runs of the host. */
  readonly jobs: StoredJobs | undefined;
  readonly onResume: ((runId: string) => void) | undefined;
  /** Undefined for an agent without a name. */
  readonly neighbours: Neighbours | undefined;
}

export class Site implements Family {
  readonly sessions: Sessions;
  readonly #parts: AgentParts;
  readonly #host: SiteHost;
  readonly #path: readonly string[];
  readonly #children = new Map<string, SessionChildren>();
  readonly #sites = new Map<string, Promise<Site>>();
  /** Those of them that are open. The setup of a subagent may take minutes, and nobody who leaves waits for it. */
  readonly #openSites: Site[] = [];
  #isClosed = false;
  /** The agent's tools and those for its subagents. The list is the same in every turn, so that it is hashed once. */
  readonly #definitions: ToolSet["definitions"];

  /** `path`: the names of the subagents from the top-level agent to this one. */
  constructor(parts: AgentParts, host: SiteHost, path: readonly string[] = []) {
    const { house, subagents } = parts;
    this.#parts = parts;
    this.#host = host;
    this.#path = path;
    const own = house.definition.tools.definitions;
    this.#definitions =
      subagents.length === 0 ? own : seal([...own, ...subagentDefinitions(subagents, host.background)]);
    this.sessions = new Sessions(
      subagents.length === 0 ? house : { ...house, family: this },
      host.keeper,
      host.neighbours,
    );
  }

  openSeams: Family["openSeams"] = (seat, state) => this.#of(seat.sessionKey).openTurn(seat, state);

  idle(sessionKey: string): void {
    const children = this.#children.get(sessionKey);
    children?.idle();
    if (children?.isEmpty === true) this.#children.delete(sessionKey);
  }

  async nextNotification(sessionKey: string, signal: AbortSignal | undefined): Promise<string | null> {
    const isKnown = this.#host.jobs !== undefined || this.#children.has(sessionKey);
    if (!isKnown && this.sessions.isQuiet(sessionKey)) return null;
    return this.#of(sessionKey).nextNotification(signal);
  }

  async resume(runId: string): Promise<AgentRun | null> {
    for (const [key, children] of this.#children) {
      if (!children.has(runId)) continue;
      const read = children.claim(runId);
      return read === undefined ? null : this.sessions.of(key).notify(runId, read);
    }
    return null;
  }

  async cancel(sessionKey: string): Promise<void> {
    await this.#children.get(sessionKey)?.stop();
  }

  async remove(sessionKey: string, state: Parameters<Family["remove"]>[1]): Promise<void> {
    const children = this.#of(sessionKey);
    this.#children.delete(sessionKey);
    const keys = children.keysOf(state);
    await Promise.all(Array.from(keys, async ([key, subagent]) => (await this.#enter(subagent, key)).delete()));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const children = [...this.#children.values()];
    await Promise.all([
      this.sessions.close(),
      ...children.map((each) => each.stop()),
      ...this.#openSites.map((site) => site.close()),
    ]);
  }

  #of(sessionKey: string): SessionChildren {
    const known = this.#children.get(sessionKey);
    if (known !== undefined) return known;
    const { house, namespace, arrivals } = this.#parts;
    const { jobs } = this.#host;
    const parts = {
      sessionKey,
      namespace,
      path: this.#path,
      arrivals,
      ports: house.ports,
      onResume: this.#host.onResume,
      enter: (subagent: string, key: string) => this.#enter(subagent, key),
      tools: (seat: SubagentSeat) => this.#toolsOf(seat),
      isOurs: (name: string) =>
        this.#definitions.some((own) => own.name === name) && !house.definition.tools.byName.has(name),
      writes: (name: string) => house.definition.tools.byName.get(name)?.effect === "write",
      isIdle: () => this.sessions.isQuiet(sessionKey),
    };
    const children = jobs === undefined ? new Children(parts) : new StoredChildren({ ...parts, jobs });
    this.#children.set(sessionKey, children);
    return children;
  }

  /** The session of a subagent that `path` leads to. */
  async sessionAt(path: readonly string[], key: string): Promise<Session> {
    const [next, ...rest] = path;
    return next === undefined ? this.sessions.of(key) : (await this.#siteOf(next)).sessionAt(rest, key);
  }

  async #enter(subagent: string, key: string): Promise<Session> {
    return (await this.#siteOf(subagent)).sessions.of(key);
  }

  #siteOf(subagent: string): Promise<Site> {
    const site = this.#sites.get(subagent) ?? this.#openSite(subagent);
    this.#sites.set(subagent, site);
    return site;
  }

  /** Suspends the turn of a run. */
  async leave(runId: string, graceMs: number): Promise<void> {
    await this.sessions.leave(runId, graceMs);
    for (const site of this.#openSites) await site.leave(runId, graceMs);
  }

  async #openSite(subagent: string): Promise<Site> {
    const found = this.#parts.subagents.find(({ name }) => name === subagent);
    if (found === undefined) throw new Error(`there is no subagent ${subagent}`);
    // Nobody resumes a notification of a subagent's session: its next turn takes it.
    const host = { ...this.#host, onResume: undefined, neighbours: undefined };
    const parts = await found.parts();
    if (this.#isClosed) throw closedError("closed");
    const site = new Site(parts, host, [...this.#path, subagent]);
    this.#openSites.push(site);
    return site;
  }

  #toolsOf(seat: SubagentSeat): ToolSet {
    const { house, subagents } = this.#parts;
    const { background } = this.#host;
    const byName = new Map(house.definition.tools.byName);
    const add = (tool: Pick<GrantedTool, "name" | "invoke" | "timeoutMs">): void => {
      const { schema = {} } = this.#definitions.find(({ name }) => name === tool.name) ?? {};
      byName.set(tool.name, {
        effect: "read",
        retryPolicy: "idempotent",
        resultLimit: RESULT_LIMIT,
        check: this.#checkOf(tool.name, schema),
        ...tool,
      });
    };
    for (const { name } of subagents) {
      const invoke = (args: DelegateArgs, context: CustomToolContext) => seat.delegate(name, args, context);
      add({ name: toolNameOf(name), timeoutMs: Infinity, invoke });
    }
    if (background) {
      const output = (args: OutputArgs, context: CustomToolContext) => seat.output(args, context);
      const cancel = (args: { task_id: string }, context: CustomToolContext) => seat.cancel(args, context);
      add({ name: OUTPUT_TOOL, timeoutMs: JOB_TOOL_TIMEOUT_MS, invoke: output });
      add({ name: CANCEL_TOOL, timeoutMs: JOB_TOOL_TIMEOUT_MS, invoke: cancel });
    }
    return { byName, definitions: this.#definitions };
  }

  readonly #checks = new Map<string, GrantedTool["check"]>();

  #checkOf(name: string, schema: Parameters<typeof createArgumentCheck>[1]): GrantedTool["check"] {
    const check = this.#checks.get(name) ?? createArgumentCheck(name, schema);
    this.#checks.set(name, check);
    return check;
  }
}
