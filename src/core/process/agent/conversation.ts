// An agent that lasts: its history, pins, overrides and counts between messages. It drives the one loop and nothing else.

import { seal } from "../../canon/copy.js";
import type { JsonObject, JsonValue } from "../../canon/value.js";
import { defined } from "../../defined.js";
import type { EventBody, EventDetail } from "../../events/event.js";
import { DEFAULT_ANSWER_TOKENS, DEFAULT_MAX_TOOL_CALLS, DEFAULT_MAX_TURNS } from "../../limits.js";
import { createBudget, type Budget, type BudgetSpent } from "../../loop/budget.js";
import type { PreparedTurn } from "../../loop/turn.js";
import type { LlmMessage } from "../../model/message.js";
import type { LlmProviderAdapter, LlmSettings } from "../../model/provider.js";
import type { Ports } from "../../ports.js";
import { createToolSet, type ToolSet } from "../../tools/registry.js";
import type { CustomTool } from "../../tools/tool.js";
import { andThen, type Maybe } from "../../time/wait.js";
import { askModel, type Answer, type Message } from "./ask.js";
import { debugRequest } from "./debug-log.js";
import { readMemory, writeMemory } from "./memory-form.js";
import { createOutputCheck, type OutputVerdict } from "./output.js";
import { createPinPolicy, createPinTools, pairResults } from "./pin-tools.js";
import { pinBlock, pinKey, Pins } from "./pins.js";
import type { AgentSpec } from "./spec.js";
import { runtimeContext, systemParts, type PromptDocument, type RuntimeFigures } from "./system-prompt.js";
import { toTelemetry, type TelemetryEvent } from "./telemetry.js";

export interface ConversationOptions {
  readonly spec: AgentSpec;
  readonly documents?: readonly PromptDocument[];
  readonly provider: LlmProviderAdapter;
  readonly tools?: readonly CustomTool[];
  readonly ports: Ports;
  readonly onTelemetry?: (event: TelemetryEvent) => void;
  /** Takes the lines of the debug log. */
  readonly onDebug?: (line: JsonObject) => void;
  /** Awaited before each turn, which is numbered from 0 in the process. Gives the time for the runtime context. */
  readonly beforeTurn?: (turn: number) => Maybe<number | undefined>;
}

export type MemorySet =
  | { readonly kind: "memory_set"; readonly old_messages: number; readonly new_messages: number }
  | { readonly kind: "refused"; readonly reason: string };

export interface MemoryDump {
  readonly kind: "memory";
  readonly messages: readonly JsonObject[];
  readonly pinned: readonly JsonObject[];
}

export class Conversation {
  readonly spec: AgentSpec;
  readonly options: ConversationOptions;
  readonly tools: ToolSet;
  readonly pins = new Pins();
  readonly policy = createPinPolicy(this.pins);
  readonly check: (answer: string) => OutputVerdict;
  readonly settings: LlmSettings;
  /** The system messages, then the conversation. */
  #history: LlmMessage[];
  /** While a message is in progress: the conversation with it. An aborted run may add to it later, so it is a separate list. */
  #live: LlmMessage[] | undefined;
  readonly #head: number;
  #spent: BudgetSpent | undefined;
  #apiCalls = 0;
  #override: { temperature?: number | null; model?: string | null } = {};
  /** The message that holds the pinned results, once there is one. */
  #block: LlmMessage | undefined;

  /** Throws `AgentError` `invalid-options` for a tool or a schema that cannot be used. */
  constructor(options: ConversationOptions) {
    const { spec, documents = [], tools = [] } = options;
    this.options = options;
    this.spec = spec;
    const pinTools = createPinTools(
      this.pins,
      () => this.#live ?? this.#history,
      (action) => this.#tellPins(action),
    );
    this.tools = createToolSet(spec.name, { tools: [], customTools: [...tools, ...pinTools] }, undefined);
    this.check = createOutputCheck(spec.output);
    const parts = systemParts({ ...defined({ prompt: spec.prompt, output: spec.output }), documents });
    this.#history = parts.map((content) => seal({ role: "system", content }));
    this.#head = this.#history.length;
    this.settings = seal(
      defined({
        model: spec.model,
        temperature: spec.temperature,
        maxTokens: spec.max_tokens ?? DEFAULT_ANSWER_TOKENS,
        thinkingBudget: spec.thinking_budget,
      }),
    );
  }

  /** Answers one message. Rejects as the loop does. Unless an answer is valid, the conversation is as it was before. */
  async ask(input: JsonValue, signal: AbortSignal): Promise<Answer> {
    const history = [...this.#history];
    const budget = this.#openBudget();
    this.#live = history;
    try {
      const answer = await askModel(this, { history, input, budget, signal });
      if (answer.kind !== "output") return answer;
      this.#history = this.spec.amnesiac === true ? history.slice(0, this.#head) : history;
      this.options.onTelemetry?.({ kind: "output", content: answer.value });
      return answer;
    } finally {
      this.#spent = budget.spent;
      this.#live = undefined;
    }
  }

  /** Seen by the next turn, also within a message. Null restores the value of the spec. */
  override(change: { readonly temperature?: number | null; readonly model?: string | null }): void {
    this.#override = { ...this.#override, ...change };
  }

  /** The conversation for a controller. Not while a message is in progress. */
  memory(format?: string): MemoryDump {
    const keys = new Map(
      pairResults(this.#history).map(({ call, result }) => [result, pinKey(call.name, call.arguments)]),
    );
    const shown = this.#history.slice(this.#head).flatMap((message): LlmMessage[] => {
      if (message === this.#block) return [];
      const key = message.role === "tool" ? keys.get(message) : undefined;
      if (message.role !== "tool" || key === undefined || this.pins.find(key)?.content !== message.content)
        return [message];
      return [{ ...message, content: `[pinned: ${key}]` }];
    });
    return {
      kind: "memory",
      messages: writeMemory(shown, format === "openai" ? "openai" : "anthropic"),
      pinned: this.pins.list.map(({ tool, arguments: args, content }) => ({ tool, arguments: args, content })),
    };
  }

  /** Replaces the conversation, but not the system messages. Pinned results go in front. Not while a message is in progress. */
  replace(messages: readonly unknown[]): MemorySet {
    const read = readMemory(messages);
    if (read.kind === "refused") return read;
    const before = this.figures.historyMessages;
    const pins = this.pins.list;
    this.#block = pins.length === 0 ? undefined : seal<LlmMessage>({ role: "user", content: pinBlock(pins) });
    this.#history.splice(this.#head, Infinity, ...(this.#block === undefined ? [] : [this.#block]), ...read.messages);
    return { kind: "memory_set", old_messages: before, new_messages: this.figures.historyMessages };
  }

  /** Turns that have begun. */
  get turns(): number {
    return this.#apiCalls;
  }

  get figures(): RuntimeFigures {
    const { inputTokens = 0, outputTokens = 0 } = this.#spent?.usage ?? {};
    return {
      inputTokens,
      outputTokens,
      apiCalls: this.#apiCalls,
      maxTokens: this.settings.maxTokens ?? DEFAULT_ANSWER_TOKENS,
      historyMessages: (this.#live ?? this.#history).length - this.#head,
      pinnedDocuments: this.pins.list.length,
    };
  }

  /** What the next turn sends in place of the history and the settings of the spec. */
  prepare({ budget, history }: Message): Maybe<PreparedTurn | undefined> {
    return andThen<number | undefined, PreparedTurn | undefined>(this.options.beforeTurn?.(this.#apiCalls), (now) => {
      this.#spent = budget.spent;
      const messages = this.spec.runtime_context === true ? this.#withContext(history, now) : undefined;
      const settings = this.#overridden();
      this.#apiCalls += 1;
      this.options.onDebug?.(debugRequest(settings ?? this.settings, (messages ?? history).length));
      return messages === undefined && settings === undefined ? undefined : defined({ messages, settings });
    });
  }

  log(line: JsonObject): void {
    this.options.onDebug?.(line);
  }

  tell(body: EventBody, detail: EventDetail | undefined): void {
    const { onTelemetry } = this.options;
    if (onTelemetry !== undefined) for (const event of toTelemetry(body, detail)) onTelemetry(event);
  }

  #withContext(history: readonly LlmMessage[], now = this.options.ports.now()): LlmMessage[] {
    return [...history, seal({ role: "system", content: runtimeContext(this.figures, now) })];
  }

  #overridden(): LlmSettings | undefined {
    const { temperature = null, model = null } = this.#override;
    if (temperature === null && model === null) return undefined;
    return { ...this.settings, ...(temperature === null ? {} : { temperature }), ...(model === null ? {} : { model }) };
  }

  /** Turns and calls are counted for each message, everything else for the process. */
  #openBudget(): Budget {
    const { budget = {}, max_turns: turns, max_tool_calls: calls } = this.spec;
    const spent = this.#spent ?? { turns: 0, toolCalls: 0, usage: { inputTokens: 0, outputTokens: 0 } };
    const maxTurns = Math.min(spent.turns + (turns ?? DEFAULT_MAX_TURNS), budget.maxTurns ?? Infinity);
    const maxToolCalls = Math.min(spent.toolCalls + (calls ?? DEFAULT_MAX_TOOL_CALLS), budget.maxToolCalls ?? Infinity);
    return createBudget({ ...budget, maxTurns, maxToolCalls }, `the budget of ${this.spec.name}`, spent);
  }

  #tellPins(action: "pin" | "unpin"): void {
    const { keys } = this.pins;
    this.options.onTelemetry?.({ kind: "pin_state", action, count: keys.length, keys });
  }
}
