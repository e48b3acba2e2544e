// The plugins of an agent: their setup, and what they registered.

import { AgentError } from "../../errors.js";
import { HOOK_TIMEOUT_MS } from "../../limits.js";
import type { LlmMessage } from "../../model/message.js";
import { isObject, unknownOptions } from "../../options.js";
import type { Ports } from "../../ports.js";
import { quoteForeign } from "../../text/mask.js";
import { showValue } from "../../text/show.js";
import { thrownText } from "../../text/thrown.js";
import type { CustomTool } from "../../tools/tool.js";
import type { ToolCallDecision, ToolResultDecision } from "../../tools/policy-decision.js";
import { within, type Maybe } from "../../time/wait.js";
import type { SessionStore } from "../ports/session-store.js";
import { toCustomTools } from "../tools.js";
import type { AgentPlugin, EventContext, PlaceName, PluginEvents, PluginHost } from "./plugin.js";

export type HookName = keyof PluginEvents;
type Handler<Name extends HookName> = (event: PluginEvents[Name]) => Answers[Name];

interface Answers extends Record<PlaceName, unknown> {
  "tool.call": Maybe<ToolCallDecision | undefined>;
  "tool.result": Maybe<ToolResultDecision | undefined>;
}

/** A function of a plugin, with the words that errors name the plugin by. */
export interface Owned<Call> {
  readonly owner: string;
  readonly call: Call;
}

type Handlers = { [Name in HookName]: Owned<Handler<Name>>[] };

const HOOKS: readonly string[] = [
  "turn.before",
  "turn.after",
  "step.before",
  "step.after",
  "tool.call",
  "tool.result",
] satisfies readonly HookName[];

export class Plugins {
  readonly #handlers: Handlers = {
    "turn.before": [],
    "turn.after": [],
    "step.before": [],
    "step.after": [],
    "tool.call": [],
    "tool.result": [],
  };
  readonly listeners: Owned<(context: EventContext) => void | Promise<void>>[] = [];
  readonly tools: CustomTool[] = [];
  store: SessionStore | undefined;
  compaction: MessageCompaction | undefined;

  handlersOf<Name extends HookName>(name: Name): readonly Owned<Handler<Name>>[] {
    return this.#handlers[name];
  }

  /** Runs every setup, one after the other. Rejects with `plugin-failed`. */
  async setUp(plugins: readonly AgentPlugin[], ports: Pick<Ports, "timer">): Promise<void> {
    for (const [index, plugin] of plugins.entries()) {
      const { events } = plugin;
      const owner = plugin.name === undefined ? `plugin ${index}` : `plugin ${quoteForeign(plugin.name)}`;
      if (events?.on !== undefined) this.listeners.push({ owner, call: (context) => events.on?.(context) });
      if (plugin.setup === undefined) continue;
      try {
        const done = plugin.setup(this.#hostOf(owner));
        if (done !== undefined) await within(done, HOOK_TIMEOUT_MS, ports);
      } catch (error) {
        throw new AgentError("plugin-failed", `the setup of ${owner} failed: ${quoteForeign(thrownText(error))}`, {
          hint: "See `cause`. Fix the plugin and create the agent again.",
          cause: error,
        });
      }
    }
  }

  #hostOf(owner: string): PluginHost {
    const host: PluginHost = {
      on: (name: HookName, handler: (event: never) => unknown) => {
        if (!HOOKS.includes(name))
          throw new TypeError(`there is no hook ${showValue(name)}. The hooks are ${HOOKS.join(", ")}.`);
        if (typeof handler !== "function")
          throw new TypeError(`the handler of ${name} is ${showValue(handler)}. Pass a function.`);
        this.#handlers[name].push({ owner, call: handler as never });
      },
      registerTools: (tools) => void this.tools.push(...toCustomTools(tools, `the tools of ${owner}`)),
      registerSessionStore: (store) => {
        if (this.store !== undefined) throw new TypeError("two plugins register a session store. Keep one of them.");
        assertStore(store);
        this.store = store;
      },
    };
    owners.set(host, this);
    return host;
  }
}

/** The limits of a compaction, in messages of the history, and its summary function. */
export interface MessageCompaction {
  readonly thresholdMessages: number;
  readonly keepMessages: number;
  readonly summarize: ((context: { readonly messages: readonly LlmMessage[] }) => string | Promise<string>) | undefined;
}

const owners = new WeakMap<PluginHost, Plugins>();

/** For the built-in compaction plugin. Other plugins cannot register a compaction. */
export function registerCompaction(host: PluginHost, compaction: MessageCompaction): void {
  const plugins = owners.get(host);
  if (plugins !== undefined) plugins.compaction = compaction;
}

/** Throws `TypeError` for an invalid list of plugins. */
export function assertPlugins(plugins: unknown): asserts plugins is readonly AgentPlugin[] {
  if (!Array.isArray(plugins)) throw new TypeError(`plugins is ${showValue(plugins)}. Pass a list of plugins.`);
  for (const [index, plugin] of plugins.entries()) {
    const at = `plugins[${index}]`;
    if (!isObject(plugin)) throw new TypeError(`${at} is ${showValue(plugin)}. Pass { name?, setup?, events? }.`);
    const unknown = unknownOptions(plugin, ["name", "setup", "events"]);
    if (unknown.length > 0)
      throw new TypeError(`${at} has an unknown key: ${unknown.join(", ")}. The keys are name, setup, events.`);
    const { name, setup, events } = plugin;
    if (name !== undefined && typeof name !== "string")
      throw new TypeError(`${at}.name is ${showValue(name)}. Pass a string.`);
    if (setup !== undefined && typeof setup !== "function")
      throw new TypeError(`${at}.setup is ${showValue(setup)}. Pass a function.`);
    if (
      events !== undefined &&
      !(isObject(events) && (events["on"] === undefined || typeof events["on"] === "function"))
    )
      throw new TypeError(`${at}.events is not { on }. Pass an object with a function on.`);
  }
}

/** Throws `TypeError` unless `store` has the methods of a session store. */
export function assertStore(store: unknown): asserts store is SessionStore {
  const methods = ["load", "commit", "delete"];
  const missing = isObject(store) ? methods.filter((name) => typeof store[name] !== "function") : methods;
  if (missing.length > 0)
    throw new TypeError(
      `the session store has no ${missing.join(", ")}. Pass a SessionStore, such as new MemorySessionStore().`,
    );
}
