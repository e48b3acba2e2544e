// The plugins of one turn: calls hooks in order, passes events through listeners before they are delivered, and turns tool hooks into
// policies of the loop.

import { AgentError } from "../../errors.js";
import { defined } from "../../defined.js";
import { HOOK_TIMEOUT_MS } from "../../limits.js";
import type { LlmMessage } from "../../model/message.js";
import type { Ports } from "../../ports.js";
import { quoteForeign } from "../../text/mask.js";
import { thrownText } from "../../text/thrown.js";
import { isThenable, within, type Maybe } from "../../time/wait.js";
import { unlessAborted } from "../../tools/abort.js";
import type { ToolPolicy, ToolPolicyCall } from "../../tools/policy-decision.js";
import type { SessionEvent } from "../event.js";
import type { Run } from "../run/run.js";
import type { PlaceName, PluginEvents, Seen } from "./plugin.js";
import type { HookName, Owned, Plugins } from "./plugins.js";

/** The parts of a turn that its plugins may use. */
export interface TurnView {
  readonly sessionKey: string;
  readonly signal: AbortSignal;
  readonly history: () => readonly LlmMessage[];
  /** The public id of a call. */
  readonly callId: (turnIndex: number, callIndex: number, id: string) => string;
  readonly steer: PluginEvents["turn.before"]["steer"];
  readonly overlay: PluginEvents["turn.before"]["overlay"];
}

const LATE = Symbol("late");

type PlaceFields<Name extends PlaceName> = Omit<
  PluginEvents[Name],
  "history" | "signal" | "sessionKey" | "steer" | "overlay"
>;

export class PluginSeat {
  readonly #plugins: Plugins;
  readonly #view: TurnView;
  readonly #run: Run;
  readonly #ports: Pick<Ports, "timer" | "warn">;
  /** Events on their way to the consumer. Undefined without listeners. */
  #delivery: Promise<void> | undefined;
  #failure: AgentError | undefined;
  /** Once the turn is stored, a failure is only a warning. */
  isStored = false;

  constructor(plugins: Plugins, view: TurnView, run: Run, ports: Pick<Ports, "timer" | "warn">) {
    this.#plugins = plugins;
    this.#view = view;
    this.#run = run;
    this.#ports = ports;
  }

  /** Calls the hooks of a place. Rejects with `plugin-failed`, or `aborted`. */
  at<Name extends PlaceName>(name: Name, fields: PlaceFields<Name>): Maybe<void> {
    const handlers = this.#plugins.handlersOf(name);
    return handlers.length === 0 ? undefined : this.#callAll(name, handlers, fields);
  }

  /** Delivers an event once every listener has seen it, in order. */
  tell(event: SessionEvent): void {
    if (this.#plugins.listeners.length === 0) this.#run.tell(event);
    else
      this.#delivery = (this.#delivery ?? Promise.resolve())
        .then(() => this.#pass(event))
        .then(() => this.#run.tell(event));
  }

  /** Delivers a boundary and waits until the consumer requests the next event. Throws the earlier failure of a listener, if any. */
  stand(event: SessionEvent): Maybe<void> {
    if (this.#plugins.listeners.length === 0) return this.#run.stand(event);
    return this.#standBehind(event);
  }

  /** Waits until every event is delivered. */
  async delivered(): Promise<void> {
    await this.#delivery;
    this.#assertWhole();
  }

  /** The error of a listener or a tool hook, which the loop may have reported in another form. */
  get failure(): AgentError | undefined {
    return this.#failure;
  }

  /** The tool hooks as policies, in the order of the plugins. */
  policies(): readonly ToolPolicy[] {
    const calls = this.#plugins.handlersOf("tool.call").map(({ owner, call: ask }): ToolPolicy => ({
      call: async (call) => this.#guard(owner, "tool.call", () => ask(this.#toolEvent(call))),
    }));
    const results = this.#plugins.handlersOf("tool.result").map(({ owner, call }): ToolPolicy => ({
      result: async (result) => {
        const { status, output, error } = result;
        const event = Object.assign(this.#toolEvent(result), { status, output, ...defined({ error }) });
        return this.#guard(owner, "tool.result", () => call(event));
      },
    }));
    return [...calls, ...results];
  }

  async #standBehind(event: SessionEvent): Promise<void> {
    await this.#delivery;
    await this.#pass(event);
    this.#assertWhole();
    await this.#run.stand(event);
  }

  #assertWhole(): void {
    if (this.#failure !== undefined && !this.isStored) throw this.#failure;
  }

  /** Never rejects. */
  async #pass(event: SessionEvent): Promise<void> {
    for (const { owner, call } of this.#plugins.listeners) {
      try {
        const { signal } = this.#view;
        await unlessAborted(signal, async () => this.#inTime(call(Object.assign(this.#seen(), { event }))));
      } catch (error) {
        if (!this.#view.signal.aborted) this.#fail(owner, "events.on", error);
      }
    }
  }

  async #callAll<Name extends PlaceName>(
    name: Name,
    handlers: readonly Owned<(event: PluginEvents[Name]) => unknown>[],
    fields: PlaceFields<Name>,
  ): Promise<void> {
    for (const { owner, call: ask } of handlers) {
      const { sessionKey, steer, overlay, signal } = this.#view;
      const event = Object.assign(
        this.#seen(),
        { sessionKey, steer, overlay },
        fields,
      ) as unknown as PluginEvents[Name];
      // After the commit, an abort no longer matters, so the hook is always awaited.
      const call = async () => this.#guard(owner, name, () => ask(event));
      await (this.isStored ? call() : unlessAborted(signal, call));
    }
  }

  async #guard<T>(owner: string, name: HookName, call: () => Maybe<T>): Promise<T | undefined> {
    try {
      return await this.#inTime(call());
    } catch (error) {
      if (this.#view.signal.aborted && !this.isStored) throw error;
      const failure = this.#fail(owner, name, error);
      if (failure === undefined) return undefined;
      throw failure;
    }
  }

  /** The failure of the turn, or undefined if it became a warning. */
  #fail(owner: string, name: HookName | "events.on", error: unknown): AgentError | undefined {
    const isLate = error === LATE;
    const what = isLate ? `took longer than ${HOOK_TIMEOUT_MS} ms` : `threw: ${quoteForeign(thrownText(error))}`;
    const message = `${name} of ${owner} ${what}`;
    if (this.isStored) {
      this.#ports.warn(`playhead: ${message}`);
      return undefined;
    }
    const hint = isLate ? "Start slow work in the hook without awaiting it." : "See `cause`.";
    this.#failure ??= new AgentError("plugin-failed", message, { hint, ...(isLate ? {} : { cause: error }) });
    return this.#failure;
  }

  #inTime<T>(answer: Maybe<T>): Maybe<T> {
    return isThenable(answer) ? within(answer, HOOK_TIMEOUT_MS, this.#ports, () => LATE) : answer;
  }

  #toolEvent(call: ToolPolicyCall): PluginEvents["tool.call"] {
    const { sessionKey, callId } = this.#view;
    const toolCallId = callId(call.turnIndex, call.callIndex, call.callId);
    return Object.assign(this.#seen(), { sessionKey, tool: call.tool, toolCallId, input: call.arguments });
  }

  #seen(): Seen {
    const { signal, history } = this.#view;
    return {
      signal,
      get history() {
        return Object.freeze([...history()]);
      },
    };
  }
}
