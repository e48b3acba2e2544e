// The life of an agent process: messages in order, control at any time, and an end mark that shows that the output is complete.

import { defined, joinSignals, plural, withSystemPorts, type JsonObject, type JsonValue } from "../../../core/index.js";
import { ControlDesk, Conversation, createInputCheck, EOF, type WireItem } from "../../../core/process/index.js";
import { outputClosed, type WireEvent } from "../wire.js";
import { readAnswer } from "./answer.js";
import type { AgentProcessEnd, AgentProcessOptions } from "./options.js";
import { TelemetryOutbox } from "./outbox.js";
import { Pace } from "./pace.js";
import { Stamp } from "./stamp.js";

/** Runs until its input ends or control stops it. Never rejects and never ends the process. */
export async function runAgentProcess(options: AgentProcessOptions): Promise<AgentProcessEnd> {
  return new AgentProcess(options).run();
}

type Reason = AgentProcessEnd["reason"];
type Message = Extract<WireItem, { kind: "message" }>;

class AgentProcess {
  readonly #options: AgentProcessOptions;
  readonly #talk: Conversation;
  readonly #desk: ControlDesk;
  readonly #stamp: Stamp;
  readonly #pace: Pace;
  readonly #broken = new AbortController();
  readonly #telemetry: TelemetryOutbox | undefined;
  readonly #checkInput: (value: JsonValue) => void;
  #isControlOpen: boolean;
  #isOver = false;
  #inputs = 0;
  #outputs = 0;
  #sentEvents = 0;
  #failures = 0;
  #error: unknown;
  /** An event that was read and waits until it may begin. */
  #next: WireEvent | undefined;

  constructor(options: AgentProcessOptions) {
    const { loaded, provider, wire, reporter, tools, debug = false, schedule } = options;
    const { spec, documents } = loaded;
    const ports = withSystemPorts(options.ports);
    this.#options = options;
    this.#stamp = new Stamp(spec.name, wire.isTraced, ports);
    this.#telemetry = wire.has("telemetry")
      ? new TelemetryOutbox((value) =>
          wire.write("telemetry", this.#stamp.add({ kind: "message", value }, (this.#sentEvents += 1))),
        )
      : undefined;
    const telemetry = this.#telemetry;
    this.#talk = new Conversation({
      ...{ spec, documents, provider, ports },
      beforeTurn: (turn) => this.#pace.beforeTurn(turn, () => this.#isAborted || this.#isOver),
      ...defined({
        tools,
        onTelemetry: telemetry && ((event) => telemetry.push(event)),
        onDebug: debug ? (line: JsonObject) => reporter.debug(line) : undefined,
      }),
    });
    this.#desk = new ControlDesk(this.#talk);
    this.#checkInput = createInputCheck(spec.input);
    this.#isControlOpen = wire.has("ctrl_in");
    this.#pace = new Pace({
      ...{ schedule, ports, bell: wire.bell, hasClock: spec.runtime_context === true },
      place: () => ({ input: this.#inputs, turn: this.#talk.turns }),
      isControlOpen: () => this.#isControlOpen,
    });
  }

  async run(): Promise<AgentProcessEnd> {
    const { wire, stop, signal } = this.#options;
    const ring = (): void => wire.bell.ring();
    for (const watched of [stop, signal]) watched?.addEventListener("abort", ring);
    this.#tellConfig();
    const controlling = this.#control();
    let reason: Reason;
    try {
      reason = await this.#answerAll();
    } catch (error) {
      reason = this.#fail(error);
    }
    this.#pace.free();
    const dropped = reason === "eof" ? 0 : wire.waiting("data_in") + (this.#next?.kind === "message" ? 1 : 0);
    if (dropped > 0) this.#warn(`the agent ended before it answered ${plural(dropped, "message")} that it had read`);
    await this.#end(reason).catch((error: unknown) => (reason = this.#fail(error)));
    this.#isOver = true;
    wire.close();
    await controlling;
    for (const watched of [stop, signal]) watched?.removeEventListener("abort", ring);
    return {
      reason,
      exitCode: this.#failures > 0 || reason === "aborted" ? 1 : 0,
      ...{ inputs: this.#inputs, outputs: this.#outputs, dropped },
      ...defined({ error: this.#error, schedule: this.#pace.schedule }),
    };
  }

  /** The one consumer of messages. */
  async #answerAll(): Promise<Reason> {
    const { wire, loaded, stop } = this.#options;
    const { max_messages: most = Infinity, on_error: onError = "stop" } = loaded.spec;
    for (;;) {
      await this.#settle();
      if (this.#isAborted) return this.#abort();
      if (this.#desk.isStopping || stop?.aborted === true) return "stop";
      // Control that came meanwhile counts before the next message.
      if (this.#desk.hasWork) continue;
      const event = this.#desk.isPaused ? undefined : this.#take();
      if (event === undefined) {
        const isWaiting = this.#next !== undefined || wire.waiting("data_in") > 0;
        await this.#pace.change(isWaiting ? `message ${this.#inputs}` : undefined);
        continue;
      }
      switch (event.kind) {
        case "eof":
          return "eof";
        case "refused":
          this.#options.reporter.error(event.error);
          break;
        case "marker":
          await wire.write("data_out", event);
          if (wire.has("telemetry")) {
            await this.#telemetry?.flush();
            await wire.write("telemetry", event);
          }
          break;
        case "message":
          if (!(await this.#answer(event)) && onError === "stop") return this.#isAborted ? this.#abort() : "failed";
          if (this.#inputs >= most) return "max_messages";
      }
    }
  }

  /** A message and the end wait for control. Markers do not, since their sender may wait for them before it sends control. */
  #take(): WireEvent | undefined {
    const event = (this.#next ??= this.#options.wire.take("data_in"));
    const isHeld = event?.kind === "message" || event?.kind === "eof";
    if (isHeld && this.#pace.isDue) return undefined;
    this.#next = undefined;
    return event;
  }

  /** False if the message failed. */
  async #answer(message: Message): Promise<boolean> {
    const { wire, signal, reporter } = this.#options;
    try {
      this.#checkInput(message.value);
    } catch (error) {
      // No turn was spent, so the agent continues with the next message.
      reporter.error(error);
      return true;
    }
    this.#inputs += 1;
    try {
      const work = joinSignals(this.#broken.signal, ...(signal === undefined ? [] : [signal]));
      const value = readAnswer(await this.#talk.ask(message.value, work));
      this.#outputs += 1;
      const output = { kind: "message" as const, value, ...defined({ trace: message.trace }) };
      await wire.write("data_out", this.#stamp.add(output, this.#outputs));
      return true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  /** The consumer of control. It never waits for a provider. */
  async #control(): Promise<void> {
    const { wire } = this.#options;
    let event: WireEvent | undefined;
    while (!this.#isOver) {
      if (wire.isBroken && !this.#broken.signal.aborted) this.#broken.abort(outputClosed());
      event ??= this.#isControlOpen ? wire.take("ctrl_in") : undefined;
      if (event === undefined || (event.kind === "message" && !this.#pace.mayTakeControl())) {
        await wire.bell.wait();
        continue;
      }
      if (event.kind === "message") for (const text of this.#desk.take(event.value)) this.#warn(text);
      if (event.kind === "eof") this.#isControlOpen = false;
      event = undefined;
      wire.bell.ring();
    }
  }

  /** Carries out the requests of control. Called while no message is in progress. */
  async #settle(): Promise<void> {
    const { wire } = this.#options;
    // More requests may arrive while a reply is written.
    while (this.#desk.hasWork) {
      const { replies, warnings } = this.#desk.settle();
      for (const text of warnings) this.#warn(text);
      for (const value of replies) if (wire.has("ctrl_out")) await wire.write("ctrl_out", { kind: "message", value });
    }
    if (!this.#desk.isPaused || this.#isControlOpen) return;
    this.#desk.isPaused = false;
    this.#warn("control ended while the agent was paused, so the agent resumes");
  }

  /** Ends the output before it waits for control, since the end of control may depend on it. */
  async #end(reason: Reason): Promise<void> {
    const { wire } = this.#options;
    if (wire.isBroken) return;
    if (reason !== "aborted") {
      await wire.write("data_out", EOF);
      while (
        this.#isControlOpen &&
        !this.#desk.isStopping &&
        !this.#isAborted &&
        this.#options.stop?.aborted !== true
      ) {
        await this.#settle();
        if (this.#isControlOpen && !this.#desk.isStopping) await wire.bell.wait();
      }
      await this.#settle();
    }
    await this.#telemetry?.flush();
    if (reason === "aborted") return;
    for (const port of ["ctrl_out", "telemetry", "tool_req"] as const) if (wire.has(port)) await wire.write(port, EOF);
  }

  get #isAborted(): boolean {
    return this.#options.signal?.aborted === true || this.#options.wire.isBroken;
  }

  #abort(): Reason {
    const { signal } = this.#options;
    this.#fail(signal?.aborted === true ? signal.reason : outputClosed());
    return "aborted";
  }

  #fail(error: unknown): Reason {
    this.#failures += 1;
    if (this.#error === undefined) this.#options.reporter.error(error);
    else if (this.#options.loaded.spec.on_error === "skip" && !this.#isAborted) this.#options.reporter.error(error);
    this.#error ??= error;
    return "failed";
  }

  #warn(text: string): void {
    this.#options.reporter.warn(text);
  }

  #tellConfig(): void {
    const { spec, providerName } = this.#options.loaded;
    const { settings, tools } = this.#talk;
    this.#telemetry?.push({
      kind: "config",
      ...defined({ model: settings.model, provider: providerName }),
      max_tokens: settings.maxTokens ?? 0,
      ...defined({ thinking_budget: spec.thinking_budget }),
      tools: tools.definitions.map(({ name }) => name),
    });
  }
}
