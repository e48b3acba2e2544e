// One run of one conversation: the loop works on its own list, each step is stored before the next request, and the conversation is
// compacted when its context has grown too large.

import { andThen, type Maybe } from "../../time/wait.js";
import { defined } from "../../defined.js";
import type { EventBody, EventDetail } from "../../events/event.js";
import type { EventLog } from "../../events/log.js";
import { createBudget, type Budget, type BudgetCap } from "../../loop/budget.js";
import type { Boundary, BoundaryPlace, LoopInput } from "../../loop/boundary.js";
import { runLoop } from "../../loop/loop.js";
import { Pacer, type RunControl, type RunReceipts } from "../../loop/run-control.js";
import { closeCalls } from "../../context/open-calls.js";
import { tokensOf } from "../../context/meter.js";
import { openRunScope } from "../../memory/run-memory.js";
import type { LlmMessage, UserMessage } from "../../model/message.js";
import type { RuntimeMemory } from "../../model/memory.js";
import type { UsageTotal } from "../../model/usage.js";
import type { Ports } from "../../ports.js";
import { bindVerbs } from "../../runtime/verbs.js";
import { lastWords } from "../../runtime/visit.js";
import { abortError, assertNotAborted } from "../../tools/abort.js";
import type { ToolSet } from "../../tools/registry.js";
import type { LiveConversation } from "../conversation/desk.js";
import { conflict } from "../storage/gate.js";
import type { ArchiveMarker } from "../storage/entry.js";
import type { ReadyAgent } from "./agent.js";
import { compact, type CompactionInput } from "./compact.js";
import type { EventProjection } from "./event.js";

/** The result of a run. `turns`, `toolCalls` and `usage` count this run, including its summaries. */
export interface AgentResponse {
  readonly conversationId: string;
  /** 32 hex digits. */
  readonly runId: string;
  /** Names of the archives that this run made. */
  readonly archives: readonly string[];
  /** The model's last text. "" if a cap ended the run before the first text. */
  readonly finalAnswer: string;
  /** The cap that ended the run. Absent if the model finished. */
  readonly budgetExhausted?: BudgetCap;
  readonly turns: number;
  readonly toolCalls: number;
  readonly usage: UsageTotal;
}

export interface RunInput {
  readonly ready: ReadyAgent;
  readonly live: LiveConversation;
  readonly tools: ToolSet;
  /** The messages before the conversation: the author's instructions and the discovered ones. */
  readonly head: readonly LlmMessage[];
  readonly memory: RuntimeMemory;
  readonly log: Pick<EventLog, "runId" | "append">;
  readonly events: EventProjection;
  readonly receipts: RunReceipts | undefined;
  readonly signal: AbortSignal;
  readonly ports: Ports;
}

/** A context that could not be compacted, or is still too large, is compacted again once it has grown by this factor. */
const GROWTH = 1.1;

/** The result of a call that did not run because of a cap on tool calls. */
const NOT_RUN = "not run: the limit of tool calls of this run is reached";

export class ConversationRun {
  readonly #input: RunInput;
  readonly #budget: Budget;
  readonly #control: RunControl;
  readonly #history: LlmMessage[] = [];
  readonly #archives: string[] = [];
  readonly #headTokens: number;
  readonly #scope: ReturnType<typeof openRunScope>;
  #compactFrom: number;
  #lastWords = "";
  #isOver = false;
  #stop: "finished" | "budget" = "finished";
  /** -1 before the first turn. */
  lastTurn = -1;

  constructor(input: RunInput) {
    const { ready, ports, receipts, head, memory, log } = input;
    this.#input = input;
    this.#budget = createBudget(ready.agent.budget);
    this.#control = { pacer: new Pacer(ports), ...defined({ receipts }), closeCalls: undefined };
    this.#headTokens = head.reduce((sum, message) => sum + tokensOf(message), 0);
    this.#compactFrom = ready.compaction?.maxTokens ?? Infinity;
    this.#scope = openRunScope(memory, log.runId);
  }

  /** Sends `content`, if any, and runs to the end. The messages of the conversation must be stored. */
  async send(): Promise<AgentResponse> {
    const { head, live, log } = this.#input;
    this.#history.push(...head, ...live.conversation.messages);
    const stop = await runLoop(this.#loop(this.#history));
    // The boundary never stops the loop.
    const cap = stop.kind === "budget" ? stop.cap : undefined;
    this.#isOver = true;
    const finalAnswer = stop.kind === "finished" ? stop.finalAnswer : this.#lastWords;
    const answer = { finalAnswer, ...(cap === undefined ? {} : { budgetExhausted: cap }) };
    const { turns, toolCalls, usage } = this.#budget;
    this.#stop = cap === undefined ? "finished" : "budget";
    return {
      conversationId: live.conversation.ref.id,
      runId: log.runId,
      archives: this.#archives,
      ...answer,
      turns,
      toolCalls,
      usage,
    };
  }

  /** Compacts now. */
  async compact(): Promise<ArchiveMarker | undefined> {
    const done = await compact(this.#compaction(this.#input.ready.manual, this.#loop([])));
    this.#isOver = true;
    return done?.marker;
  }

  get stop(): "finished" | "budget" {
    return this.#stop;
  }

  /** Ends the run. Later work of its loop reaches neither storage nor events. */
  end(): Maybe<void> {
    this.#control.closeCalls?.();
    this.#isOver = true;
    return this.#budget.toolCalls === 0 ? undefined : this.#scope.forget();
  }

  #loop(history: LlmMessage[]): LoopInput {
    const { ready, live, tools, log, ports, signal } = this.#input;
    const { settings, timeoutMs, streaming, onToolError, maxCorrections, policies } = ready.agent;
    const asked = { signal, agentId: ready.name, memory: this.#scope.viewOf(ready.name) };
    return {
      provider: live.provider,
      tools,
      ...defined({ settings, timeoutMs, streaming, onToolError, maxCorrections, policies }),
      budget: this.#budget,
      context: { ...asked, pluck: bindVerbs(undefined, asked) },
      runId: log.runId,
      ports,
      control: this.#control,
      emit: this.#emit,
      history,
      boundary: this.#boundary,
    };
  }

  readonly #emit = (turnIndex: number, body: EventBody, detail?: EventDetail): void => {
    if (this.#isOver) return;
    const { log, events, live } = this.#input;
    this.lastTurn = turnIndex;
    log.append(live.conversation.ref.id, turnIndex, body, detail);
    events.take(turnIndex, body, detail);
  };

  readonly #boundary: Boundary = (place) => {
    switch (place.at) {
      case "before":
        return this.#compactIfDue(place.loop);
      case "begin":
        return undefined;
      case "after":
        return this.#storeStep(place);
    }
  };

  /** Stores what the step added, in one append. */
  #storeStep({ outcome }: Extract<BoundaryPlace, { at: "after" }>): Maybe<undefined> {
    this.#assertGoing();
    const { live, events, head } = this.#input;
    if (outcome.kind === "budget") closeCalls(this.#history, NOT_RUN);
    const added = this.#history.slice(head.length + live.conversation.messages.length);
    return andThen(live.conversation.commit(added), () => {
      this.#lastWords = lastWords(added) ?? this.#lastWords;
      if (!this.#isOver) events.endStep();
      return undefined;
    });
  }

  #compactIfDue(loop: LoopInput): Maybe<{ kind: "changed" } | undefined> {
    const { compaction } = this.#input.ready;
    if (compaction === undefined || this.#tokens() <= this.#compactFrom) return undefined;
    return this.#compactNow(compaction, loop);
  }

  async #compactNow(policy: CompactionInput["policy"], loop: LoopInput): Promise<{ kind: "changed" } | undefined> {
    const { live, head } = this.#input;
    const done = await compact(this.#compaction(policy, loop));
    this.#compactFrom = Math.max(policy.maxTokens, Math.floor(this.#tokens() * GROWTH));
    if (done === undefined) return undefined;
    this.#archives.push(done.marker.name);
    this.#history.splice(head.length, done.count, live.conversation.messages[0] as LlmMessage);
    return { kind: "changed" };
  }

  #compaction(policy: CompactionInput["policy"], loop: LoopInput): CompactionInput {
    const { ready, live, events } = this.#input;
    return { ready, policy, conversation: live.conversation, loop, events, assertGoing: () => this.#assertGoing() };
  }

  #tokens(): number {
    const { conversation } = this.#input.live;
    return this.#headTokens + conversation.meter.measure(conversation.messages);
  }

  #assertGoing(): void {
    assertNotAborted(this.#input.signal);
    if (this.#isOver) throw abortError(this.#input.signal);
  }
}

/** Stores the first append of a run. `reload` reads the conversation again after a conflict, which another process caused. */
export async function storeFirst(
  live: LiveConversation,
  content: UserMessage["content"],
  reload: () => Promise<LiveConversation>,
): Promise<LiveConversation> {
  const message: UserMessage = { role: "user", content };
  let current = live;
  for (let attempt = 0; attempt < FIRST_ATTEMPTS; attempt++) {
    if (attempt > 0) current = await reload();
    if ((await current.conversation.append([message])) === "appended") return current;
  }
  throw conflict(current.conversation.ref.id);
}

const FIRST_ATTEMPTS = 3;
