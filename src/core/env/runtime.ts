// createEnvRuntime: conversations of several agents on one config. It schedules nothing: a run exists only while a caller awaits it.

import { defined } from "../defined.js";
import { AgentError, invalidOptions } from "../errors.js";
import { DEFAULT_MAX_CONVERSATIONS, PROVIDER_GRACE_MS } from "../limits.js";
import type { LlmMessage } from "../model/message.js";
import { withSystemPorts } from "../ports.js";
import type { Receipt } from "../receipts/receipt.js";
import { link } from "../runtime/link.js";
import { createReceipts } from "../runtime/receipts.js";
import { showValue } from "../text/show.js";
import { thrownText } from "../text/thrown.js";
import { createHlc } from "../time/hlc.js";
import { joinSignals } from "../time/signal.js";
import { within } from "../time/wait.js";
import { assertNotAborted } from "../tools/abort.js";
import type { ToolSet } from "../tools/registry.js";
import type { ConversationView } from "./conversation/conversation.js";
import { createDesk, type Desk, type LiveConversation } from "./conversation/desk.js";
import { conversationIdOf } from "./conversation/identity.js";
import { loadConversation, readArchive } from "./conversation/load.js";
import { hookOf, type Config, type Provider } from "./env.js";
import { readOptions, type EnvRuntimeOptions } from "./options.js";
import type { ReadyAgent } from "./run/agent.js";
import type { EnvEvent } from "./run/event.js";
import { readHead } from "./run/head.js";
import { perform, type PreparedRun, type RunHouse } from "./run/perform.js";
import { readSend, type CheckedSend, type SendRequest } from "./run/request.js";
import { storeFirst, type AgentResponse } from "./run/run.js";
import { streamRun } from "./run/stream.js";
import { createOffer, type OfferTools } from "./run/tools.js";
import type { ArchiveMarker } from "./storage/entry.js";
import { openGate, type StoreGate } from "./storage/gate.js";
import type { ConversationRef } from "./storage/storage.js";

/** A set of agents on one config. Created by {@link createEnvRuntime}. */
export interface EnvRuntime<C extends Config = Config> {
  readonly config: C;
  /** The receipts so far. Empty without a `signingKey`. */
  readonly receipts: readonly Receipt[];
  /** The conversation as it is stored, even during a run. */
  conversation(agent: string, sender?: string): Promise<ConversationView>;
  /**
   * Runs the agent on one message. Rejects with a provider's error, unchanged; with a `ToolPolicyError`; or with `AgentError`:
   * `invalid-options` (nothing is stored), `conversation-busy`, `conversation-failed`, `aborted`, `tool-failed` or `receipt-failed`.
   * Steps that were stored stay stored. A reached cap is a normal result.
   */
  send(request: SendRequest): Promise<AgentResponse>;
  /** The same run as events. It begins at the first `next()`. Leaving early aborts it. A failed run throws after its last event. */
  stream(request: SendRequest): AsyncGenerator<EnvEvent, void, undefined>;
  /** Compacts now. Undefined if nothing was archived, which the event `compaction-failed` explains. */
  compact(agent: string, sender?: string): Promise<ArchiveMarker | undefined>;
  /** The archived messages under a name, word for word, or undefined. */
  archive(agent: string, sender: string, name: string): Promise<readonly LlmMessage[] | undefined>;
  /** Aborts the run of a conversation. True when there was one. */
  cancel(agent: string, sender?: string): boolean;
  /** Deletes a conversation with its archives. True if there was one. Rejects with `conversation-busy` during a run. */
  deleteConversation(agent: string, sender?: string): Promise<boolean>;
  /** Aborts all runs and waits for their end. Then it destroys `config.provider`, once, and ends the chain of receipts. */
  destroy(): Promise<void>;
}

/** Creates a runtime on one config. Throws `AgentError` `invalid-options`, which names every flaw of the config and the agents. */
export function createEnvRuntime<C extends Config>(config: C, options: EnvRuntimeOptions): EnvRuntime<C> {
  const { agents, maxConversations = DEFAULT_MAX_CONVERSATIONS } = readOptions(config, options);
  const ports = withSystemPorts(options.ports);
  const hlc = createHlc(ports);
  const { storage, env } = config;
  return new Runtime(config, {
    agents,
    house: { storage, env, receipts: createReceipts(options, ports, hlc), listener: options.onEvent, hlc, ports },
    gate: openGate(storage.conversations, ports),
    offer: createOffer(ports),
    desk: createDesk(maxConversations),
    providerFor: options.providerFor ?? (() => config.provider),
  });
}

interface Parts {
  readonly agents: ReadonlyMap<string, ReadyAgent>;
  readonly house: RunHouse;
  readonly gate: StoreGate;
  readonly offer: OfferTools;
  readonly desk: Desk;
  readonly providerFor: NonNullable<EnvRuntimeOptions["providerFor"]>;
}

interface Addressed {
  readonly ref: ConversationRef;
  readonly ready: ReadyAgent;
}

class Runtime<C extends Config> implements EnvRuntime<C> {
  readonly config: C;
  readonly receipts: readonly Receipt[];
  readonly #parts: Parts;
  #destroying: Promise<void> | undefined;

  constructor(config: C, parts: Parts) {
    this.config = config;
    this.receipts = parts.house.receipts.kept;
    this.#parts = parts;
  }

  async conversation(agent: string, sender = ""): Promise<ConversationView> {
    const { ref } = this.#find(agent, sender);
    const { desk, gate } = this.#parts;
    return (desk.get(ref.id)?.conversation ?? (await loadConversation(ref, gate))).view;
  }

  async send(request: SendRequest): Promise<AgentResponse> {
    return this.#send(readSend(request));
  }

  stream(request: SendRequest): AsyncGenerator<EnvEvent, void, undefined> {
    const checked = readSend(request);
    return streamRun((reader, left) => {
      const signal = checked.signal === undefined ? left : joinSignals(checked.signal, left);
      return this.#send({ ...checked, signal }, reader);
    });
  }

  async compact(agent: string, sender = ""): Promise<ArchiveMarker | undefined> {
    const { ref, ready } = this.#find(agent, sender);
    return this.#occupy(ref.id, undefined, (signal) =>
      perform(this.#parts.house, {
        ref,
        ready,
        signal,
        reader: undefined,
        prepare: async () => ({ live: await this.#load(ref), hook: {}, tools: NO_TOOLS, head: [], goal: "" }),
        work: (run) => run.compact(),
        finish: (_marker, events) => events.tell({ type: "done", finalAnswer: "" }),
      }),
    );
  }

  async archive(agent: string, sender: string, name: string): Promise<readonly LlmMessage[] | undefined> {
    return readArchive(this.#find(agent, sender).ref.id, name, this.#parts.gate);
  }

  cancel(agent: string, sender = ""): boolean {
    const reason = new AgentError("aborted", "the run was cancelled");
    return this.#parts.desk.cancel(this.#find(agent, sender).ref.id, reason);
  }

  async deleteConversation(agent: string, sender = ""): Promise<boolean> {
    const { id } = this.#find(agent, sender).ref;
    const { desk, gate } = this.#parts;
    return desk.occupy(id, new AbortController(), async () => {
      desk.drop(id);
      return gate.delete(id);
    });
  }

  destroy(): Promise<void> {
    this.#destroying ??= this.#destroy();
    return this.#destroying;
  }

  async #destroy(): Promise<void> {
    const { desk, house } = this.#parts;
    await desk.clear(new AgentError("aborted", "the runtime was destroyed"));
    try {
      const work = this.config.provider.destroy?.();
      if (work !== undefined) await within(work, PROVIDER_GRACE_MS, house.ports);
    } catch (error) {
      house.ports.warn(`playhead: destroying the provider failed: ${thrownText(error)}`);
    }
    await house.receipts.close();
  }

  async #send(request: CheckedSend, reader?: (event: EnvEvent) => void): Promise<AgentResponse> {
    const { ref, ready } = this.#find(request.agent, request.sender);
    return this.#occupy(ref.id, request.signal, (signal) =>
      perform(this.#parts.house, {
        ref,
        ready,
        signal,
        reader,
        prepare: () => this.#prepare({ ref, ready }, request.content, signal),
        work: (run) => run.send(),
        finish: ({ finalAnswer, budgetExhausted }, events) =>
          events.tell({ type: "done", finalAnswer, ...defined({ budgetExhausted }) }),
      }),
    );
  }

  /** Flaws of the hook and the instructions are found before anything is stored. The message is stored before anything is sent. */
  async #prepare(
    { ref, ready }: Addressed,
    content: CheckedSend["content"],
    signal: AbortSignal,
  ): Promise<PreparedRun> {
    const { env } = this.config;
    const hook = hookOf(env);
    const tools = this.#parts.offer(ready, hook, ref);
    const head = await readHead(ready, ref, env);
    const loaded = await this.#load(ref);
    assertNotAborted(signal);
    if (content === undefined) assertOpen(loaded, ref);
    const live = content === undefined ? loaded : await storeFirst(loaded, content, () => this.#load(ref, true));
    return { live, hook, tools, head, goal: content ?? "" };
  }

  /** Runs `work` as the only run of its conversation, which is read again after a failure. */
  async #occupy<T>(id: string, signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#destroying !== undefined) throw new AgentError("aborted", "the runtime was destroyed");
    const { desk } = this.#parts;
    const ends = new AbortController();
    const unlink = link(signal, ends);
    try {
      assertNotAborted(ends.signal);
      return await desk.occupy(id, ends, () =>
        work(ends.signal).catch((error: unknown) => {
          desk.drop(id);
          throw error;
        }),
      );
    } finally {
      unlink();
    }
  }

  async #load(ref: ConversationRef, again = false): Promise<LiveConversation> {
    const { desk, gate } = this.#parts;
    const known = desk.get(ref.id);
    if (known !== undefined && !again) {
      desk.keep(ref.id, known);
      return known;
    }
    const conversation = await loadConversation(ref, gate);
    const live = { conversation, provider: known?.provider ?? (await this.#providerFor(ref)) };
    desk.keep(ref.id, live);
    return live;
  }

  async #providerFor(ref: ConversationRef): Promise<Provider> {
    const provider = await this.#parts.providerFor(ref);
    if (typeof provider?.turn === "function") return provider;
    throw invalidOptions(`providerFor returned ${showValue(provider)} for ${ref.id}`, "Return a provider.");
  }

  #find(agent: string, sender: string): Addressed {
    const { agents } = this.#parts;
    const ready = agents.get(agent);
    if (ready !== undefined) return { ref: { id: conversationIdOf(agent, sender), agent, sender }, ready };
    throw invalidOptions(`there is no agent ${showValue(agent)}`, `The agents are ${[...agents.keys()].join(", ")}.`);
  }
}

const NO_TOOLS: ToolSet = { byName: new Map(), definitions: [] };

function assertOpen({ conversation }: LiveConversation, { id }: ConversationRef): void {
  if (conversation.isOpen) return;
  throw invalidOptions(`conversation ${JSON.stringify(id)} has no open run, and send has no content`, "Pass content.");
}
