// Checks the config and the options of a runtime, and names all their flaws at once.

import type { Maybe } from "../time/wait.js";
import type { SigningKey } from "../canon/key.js";
import { AgentError, invalidOptions } from "../errors.js";
import type { EventListener } from "../events/log.js";
import { assertKnownOptions, isObject } from "../options.js";
import type { Ports } from "../ports.js";
import type { ReceiptListener } from "../receipts/writer.js";
import { showValue } from "../text/show.js";
import { isThrown } from "../text/thrown.js";
import { findConfigFlaws, type Config, type Provider } from "./env.js";
import { readyAgent, type EnvAgent, type ReadyAgent } from "./run/agent.js";
import type { ConversationRef } from "./storage/storage.js";

/** The options of {@link createEnvRuntime}. */
export interface EnvRuntimeOptions {
  readonly agents: readonly EnvAgent[];
  /** Conversations held in memory. Beyond it, the idle one that was unused for longest is dropped, and read again when used. Default 1,000. */
  readonly maxConversations?: number;
  /** The provider of one conversation, for recordings. Called once for each load of a conversation. Default: `config.provider`. */
  readonly providerFor?: (conversation: ConversationRef) => Maybe<Provider>;
  /** Receives the log of each run, as in `createRuntime`. */
  readonly onEvent?: EventListener;
  /** Signs a receipt of every turn and every tool call into one chain. */
  readonly signingKey?: SigningKey;
  /** Called with each receipt once it is signed. If it throws, the run fails with `receipt-failed`. */
  readonly onReceipt?: ReceiptListener;
  readonly ports?: Partial<Ports>;
}

const OPTIONS = ["agents", "maxConversations", "providerFor", "onEvent", "signingKey", "onReceipt", "ports"];

export interface CheckedOptions {
  readonly agents: ReadonlyMap<string, ReadyAgent>;
  readonly maxConversations?: number;
}

/** Throws `AgentError` `invalid-options`. */
export function readOptions(config: Config, options: EnvRuntimeOptions): CheckedOptions {
  const flaws = findConfigFlaws(config);
  const hints = new Set(flaws.length > 0 ? ["Pass { storage, provider, env }, where env may be {}."] : []);
  const attempt = <T>(check: () => T): T | undefined => {
    try {
      return check();
    } catch (error) {
      if (!isThrown(error, AgentError)) throw error;
      flaws.push(error.message);
      hints.add(error.hint ?? "");
      return undefined;
    }
  };
  attempt(() => assertOptions(options));
  const definitions: unknown = isObject(options) ? options["agents"] : undefined;
  const agents = new Map<string, ReadyAgent>();
  // A missing provider is already reported.
  const provider = isObject(config) && isObject(config["provider"]) ? config.provider : NO_PROVIDER;
  for (const definition of Array.isArray(definitions) ? (definitions as EnvAgent[]) : []) {
    const ready = attempt(() => readyAgent(definition, provider));
    if (ready === undefined) continue;
    if (agents.has(ready.name))
      attempt(() => refuse(`two agents have the name ${ready.name}`, "Give each agent its own name."));
    agents.set(ready.name, ready);
  }
  if (flaws.length > 0) throw invalidOptions(flaws.join("; "), [...hints].join(" "));
  const { maxConversations } = options;
  return { agents, ...(maxConversations === undefined ? {} : { maxConversations }) };
}

const NO_PROVIDER = { turn: () => Promise.reject(new Error("no provider was given")) };

function assertOptions(options: EnvRuntimeOptions): void {
  if (!isObject(options)) refuse(`createEnvRuntime was given ${showValue(options)}`, "Pass { agents: [{ name, … }] }.");
  assertKnownOptions("createEnvRuntime", options, OPTIONS);
  const { agents, maxConversations = 1, providerFor } = options;
  if (!Array.isArray(agents) || agents.length === 0)
    refuse("createEnvRuntime has no agents", "Pass { agents: [{ name, … }] }.");
  if (!Number.isSafeInteger(maxConversations) || maxConversations < 1)
    refuse(`maxConversations is ${showValue(maxConversations)}`, "Use a whole number of 1 or more.");
  if (providerFor !== undefined && typeof providerFor !== "function")
    refuse(`providerFor is ${showValue(providerFor)}`, "Pass a function that returns a provider.");
}

function refuse(what: string, hint: string): never {
  throw invalidOptions(what, hint);
}
