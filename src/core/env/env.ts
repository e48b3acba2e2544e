// The config of a runtime, and the defaults of an environment.

import type { Maybe } from "../time/wait.js";
import { isPlainObject } from "../canon/value.js";
import { invalidOptions } from "../errors.js";
import type { Lagged } from "../events/broadcast.js";
import type { LlmProviderAdapter } from "../model/provider.js";
import { isObject, unknownOptions } from "../options.js";
import { showValue } from "../text/show.js";
import { HOOK_METHODS, type Hook } from "./hook.js";
import type { EnvEvent } from "./run/event.js";
import type { Storage } from "./storage/storage.js";

/** A provider of model turns, with or without streaming. */
export type Provider = LlmProviderAdapter;

/** Everything that a runtime receives from its host. A program supplies one config. */
export interface Config {
  readonly storage: Storage;
  readonly provider: Provider;
  readonly env: Env;
}

/**
 * The capabilities of the host beyond storage and provider. Every method is optional, so `{}` is a complete environment. Methods must
 * not block.
 */
export interface Env {
  /** The tools. Called once for each run. Default: a hook without tools. */
  hook?(): Hook;
  /** Called with each event of each run. It is not awaited and cannot change the run. Errors become warnings. */
  onAgentEvent?(agent: string, conversationId: string, event: EnvEvent): void;
  /** A stream of the events of all conversations, for servers that show them. Default undefined: not supported. */
  subscribeEvents?(): AsyncIterable<EventMessage | Lagged> | undefined;
  /** The text of the instruction files for a folder, or undefined. Called once for each run. Default undefined. */
  discoverInstructions?(cwd: string): Maybe<string | undefined>;
  /** The working folder of a conversation. Called once for each run. Default ".". */
  effectiveCwd?(conversationId: string): string;
}

/** An event with its agent and conversation, as `subscribeEvents` delivers it. */
export interface EventMessage {
  readonly agent: string;
  readonly conversationId: string;
  readonly event: EnvEvent;
}

const PARTS = ["storage", "provider", "env"] as const;
const ENV_METHODS = ["hook", "onAgentEvent", "subscribeEvents", "discoverInstructions", "effectiveCwd"];
const STORE_METHODS = {
  conversations: ["length", "read", "append", "list", "delete"],
  skills: ["list", "load"],
  memory: ["get", "set", "delete", "keys", "clear"],
} as const;

/** All flaws of a config, as sentences. */
export function findConfigFlaws(config: unknown): string[] {
  if (!isObject(config)) return [`the config is ${showValue(config)}`];
  const missing = PARTS.filter((part) => !isObject(config[part])).map((part) => `config has no ${part}`);
  const unknown = isPlainObject(config)
    ? unknownOptions(config, PARTS).map((name) => `config has an unknown part: ${name}`)
    : [];
  const { storage, provider, env } = config;
  return [
    ...missing,
    ...unknown,
    ...(isObject(storage) ? findStorageFlaws(storage) : []),
    ...(isObject(provider) && typeof provider["turn"] !== "function" ? ["config.provider has no turn"] : []),
    ...(isObject(env) ? findMethodFlaws("config.env", env, ENV_METHODS) : []),
  ];
}

function findStorageFlaws(storage: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(STORE_METHODS).flatMap(([part, methods]) => {
    const store = storage[part];
    if (!isObject(store)) return [`config.storage has no ${part}`];
    return methods
      .filter((name) => typeof store[name] !== "function")
      .map((name) => `config.storage.${part} has no ${name}`);
  });
}

/** Reports unknown methods, because a misspelled one would never be called. An instance of a class may have more methods. */
function findMethodFlaws(owner: string, value: Readonly<Record<string, unknown>>, known: readonly string[]): string[] {
  const unknown = isPlainObject(value) ? unknownOptions(value, known) : [];
  const wrong = known.filter((name) => value[name] !== undefined && typeof value[name] !== "function");
  return [
    ...unknown.map((name) => `${owner} has an unknown method: ${name}`),
    ...wrong.map((name) => `${owner}.${name} is not a function`),
  ];
}

const NO_TOOLS: Hook = Object.freeze({});

/** The hook of this run. Throws `AgentError` `invalid-options` if the value is not a hook. */
export function hookOf(env: Env): Hook {
  if (env.hook === undefined) return NO_TOOLS;
  const hook: unknown = env.hook();
  const flaws = isObject(hook)
    ? findMethodFlaws("the hook", hook, HOOK_METHODS)
    : [`hook() returned ${showValue(hook)}`];
  if (flaws.length === 0) return hook as Hook;
  throw invalidOptions(flaws.join(", "), `Return an object with any of ${HOOK_METHODS.join(", ")}.`);
}
