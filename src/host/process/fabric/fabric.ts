// A fabric: starts agents as processes, wires them, and ends them. The network in the core decides what passes between them.

import { createRequire } from "node:module";
import { defined, plural, withSystemPorts, type JsonValue, type Ports } from "../../../core/index.js";
import { EOF, Flow, Network, PlumbError } from "../../../core/process/index.js";
import {
  DEFAULT_FABRIC_GRACE_MS,
  DEFAULT_FABRIC_WINDOW,
  DEFAULT_MAX_MESSAGES,
  DEFAULT_READY_MS,
  INLINE_GRACE_MS,
} from "../../limits.js";
import { AgentChild } from "./child.js";
import { openControl, type AgentControl } from "./control.js";
import { openGraph, type FabricGraph, type OpenedGraph, type Wire } from "./graph.js";
import { Hub, type Member } from "./hub.js";
import { openTools } from "./tool-desk.js";
import { openTransport, type Transport } from "./transport.js";
import { PrivateFolder } from "./private-folder.js";
import { checkOptions, type FabricOptions, type FabricSchedule } from "./options.js";
import { askReady, assertMessage, feed, feedControl, receive, runInline, watchSchedule } from "./pumps.js";

/** How a fabric ended: its outputs, its agents and the order of its merges, for a replay. */
export interface FabricEnd {
  readonly outputs: number;
  readonly agents: Readonly<Record<string, { readonly exitCode: number | null; readonly signal: string | null }>>;
  readonly schedule: FabricSchedule;
}

/** A fabric whose agents are ready. */
export interface RunningFabric {
  /** Sends a message into the graph. Waits for room. */
  send(value: JsonValue): Promise<void>;
  /** Ends the input of the graph. */
  end(): void;
  /** The messages that come out of the graph. Unread messages make the agents wait. */
  readonly output: AsyncIterable<JsonValue>;
  /** A further output, as lines: the sending agent, a tab and the message. Undefined if no wire ends there. */
  extraOutput(label: string): AsyncIterable<string> | undefined;
  control(agent: string): AgentControl;
  /** Resolves when every agent has ended and the output was read. Rejects with the first failure. */
  done(): Promise<FabricEnd>;
  /** Ends all agents. Safe to call twice. */
  cancel(): Promise<void>;
}

/** Starts a graph of agents. Resolves when every agent is ready. Rejects with `PlumbError`, and then no process is left. */
export async function runFabric(graph: FabricGraph, options: FabricOptions = {}): Promise<RunningFabric> {
  checkOptions(options);
  const opened = await openGraph(graph, process.env);
  const folder = new PrivateFolder();
  const transport = await openTransport(options.transport ?? "stdio", folder, withSystemPorts(options.ports));
  const fabric = new Fabric(graph, opened, { transport, folder }, options);
  await fabric.start();
  return fabric;
}

interface Place {
  readonly transport: Transport;
  readonly folder: PrivateFolder;
}

class Fabric implements RunningFabric {
  readonly #graph: FabricGraph;
  readonly #opened: OpenedGraph;
  readonly #options: FabricOptions;
  readonly #place: Place;
  readonly #ports: Ports;
  readonly #hub: Hub;
  #outputs = 0;
  #isOutputOver: boolean;
  #cancelling: Promise<void> | undefined;

  constructor(graph: FabricGraph, opened: OpenedGraph, place: Place, options: FabricOptions) {
    const { window = DEFAULT_FABRIC_WINDOW, maxMessages = DEFAULT_MAX_MESSAGES, schedule, ports } = options;
    this.#graph = graph;
    this.#opened = opened;
    this.#place = place;
    this.#options = options;
    this.#ports = withSystemPorts(ports);
    const network = new Network(opened.layout, { window, maxMessages, ...defined({ schedule: schedule?.merges }) });
    this.#hub = new Hub(network);
    this.#isOutputOver = !network.ports.includes("output");
  }

  readonly output: AsyncIterable<JsonValue> = { [Symbol.asyncIterator]: () => this.#readOutput() };

  async start(): Promise<void> {
    const { readyMs = DEFAULT_READY_MS, signal } = this.#options;
    const hub = this.#hub;
    const abort = (): void => hub.fail(new PlumbError("aborted", "the fabric was aborted", "Start it again."));
    if (signal?.aborted === true) abort();
    signal?.addEventListener("abort", abort, { once: true });
    const stopTimer = this.#ports.timer(readyMs, () => {
      const names = hub.all.filter(({ isReady }) => !isReady).map(({ name }) => name);
      const hint = "An agent is ready when it passes a marker on. Raise readyMs if it starts slowly.";
      hub.fail(new PlumbError("not-ready", `not ready within ${readyMs} ms: ${names.join(", ")}`, hint));
    });
    try {
      for (const name of Object.keys(this.#graph.agents)) await this.#spawn(name);
      await hub.until(() => hub.all.every(({ isReady }) => isReady));
    } catch (error) {
      await this.cancel();
      throw error;
    } finally {
      stopTimer();
    }
    for (const member of hub.all) {
      hub.watch(feed(hub, member));
      hub.watch(feedControl(hub, member));
    }
    for (const [index, node] of this.#opened.layout.inline)
      hub.watch(runInline(hub, this.#graph.wires[index] as Wire, node));
    // Nobody may be waiting for the end, and the agents would keep this process alive.
    void hub.until(() => hub.all.every(({ end }) => end !== undefined)).catch(() => this.cancel());
    if (this.#options.schedule !== undefined) hub.watch(watchSchedule(hub, this.#ports));
  }

  async send(value: JsonValue): Promise<void> {
    assertMessage(value, "the value that was sent");
    await this.#hub.until(() => this.#hub.network.hasRoom("input"));
    this.#hub.push("input", { kind: "message", value });
  }

  end(): void {
    this.#hub.push("input", EOF);
  }

  extraOutput(label: string): AsyncIterable<string> | undefined {
    if (!label.startsWith("__") || !this.#hub.network.ports.includes(label)) return undefined;
    return { [Symbol.asyncIterator]: () => this.#readLines(label) };
  }

  control(agent: string): AgentControl {
    const member = this.#hub.members.get(agent);
    if (member === undefined || this.#opened.specs.get(agent)?.spec.control !== true) {
      const hint = 'Name an agent whose spec has "control": true.';
      throw new PlumbError("graph-invalid", `${agent} takes no control messages`, hint);
    }
    return openControl(this.#hub, member);
  }

  async done(): Promise<FabricEnd> {
    const hub = this.#hub;
    try {
      await hub.until(() => this.#isOutputOver && hub.all.every(({ end }) => end !== undefined));
    } catch (error) {
      await this.cancel();
      throw error;
    }
    await this.#place.folder.close();
    const agents = hub.all.map(({ name, end }) => {
      return [name, { exitCode: end?.exitCode ?? null, signal: end?.signal ?? null }] as const;
    });
    const schedule: FabricSchedule = { version: 1, merges: hub.network.order };
    return { outputs: this.#outputs, agents: Object.fromEntries(agents), schedule };
  }

  cancel(): Promise<void> {
    return (this.#cancelling ??= this.#cancel());
  }

  async #cancel(): Promise<void> {
    const { graceMs = DEFAULT_FABRIC_GRACE_MS } = this.#options;
    const hub = this.#hub;
    hub.isCancelled = true;
    hub.bell.ring();
    await this.#awaitInline();
    const running = (): Member[] => hub.all.filter(({ end }) => end === undefined);
    for (const { child } of running()) child.cancel();
    const stop = this.#ports.timer(graceMs, () => running().forEach(({ child }) => child.kill()));
    while (running().length > 0) await hub.bell.wait();
    stop();
    await this.#place.folder.close();
  }

  /** Filters and maps may write what they have begun, but not for long. */
  async #awaitInline(): Promise<void> {
    const hub = this.#hub;
    let isLate = false;
    const stop = this.#ports.timer(INLINE_GRACE_MS, () => {
      isLate = true;
      hub.bell.ring();
    });
    while (hub.inlineCalls > 0 && !isLate) await hub.bell.wait();
    stop();
    if (hub.inlineCalls > 0)
      this.#ports.warn(
        `${plural(hub.inlineCalls, "filter or map", "filters or maps")} did not return after the fabric was cancelled`,
      );
  }

  async #spawn(name: string): Promise<void> {
    const { wires, agents } = this.#graph;
    const { spec, command, env = {}, cassette, tools: offered = [] } = agents[name] as FabricGraph["agents"][string];
    const hasTelemetry = wires.some(({ from }) => from === `${name}.telemetry`);
    const { onStderr, window = DEFAULT_FABRIC_WINDOW } = this.#options;
    const { control: hasControl = false, tools: uses = [] } = this.#opened.specs.get(name)?.spec ?? {};
    const tools = await openTools({ name, uses, tools: offered }, this.#place.folder, this.#ports);
    const link = await this.#place.transport.link({ name, hasControl, hasTelemetry, hasTools: tools !== undefined });
    const own = command ?? [process.execPath, createRequire(import.meta.url).resolve("#process"), "agent"];
    const child = new AgentChild({
      name,
      command: [...own, spec, ...(cassette === undefined ? [] : ["--cassette", cassette])],
      env: { ...process.env, PLUMB_TELEMETRY: hasTelemetry ? "1" : "", ...tools?.env, ...link.env, ...env },
      link,
      onFlaw: (error) => this.#hub.fail(error),
      onItem: (port, item) => receive(this.#hub, member, port, item),
      onEnd: (end) => this.#end(member, end),
      onStderr: onStderr && ((line) => onStderr(name, line)),
    });
    const state = { isReady: false, ended: new Set<string>(), end: undefined, replies: undefined, tools };
    const member: Member = { name, child, flow: new Flow(window), ...state };
    this.#hub.members.set(name, member);
    if (!child.saysReady) void askReady(member);
  }

  #end(member: Member, end: NonNullable<Member["end"]>): void {
    const hub = this.#hub;
    const { name } = member;
    member.end = end;
    member.tools?.close();
    hub.network.abandon(name);
    hub.network.abandon(`${name}.ctrl_in`);
    if (end.error !== undefined) hub.fail(end.error);
    else if (!member.isReady && !hub.isCancelled) {
      const hint = "An agent must read its input until the input ends.";
      hub.fail(new PlumbError("agent-exited", `${name} exited before it was ready`, hint, { agent: name }));
    } else for (const port of [name, `${name}.telemetry`, `${name}.ctrl_out`]) hub.endPort(member, port);
    hub.bell.ring();
  }

  async *#readOutput(): AsyncGenerator<JsonValue> {
    while (!this.#isOutputOver) {
      const item = await this.#hub.next("output");
      if (item.kind === "eof") {
        this.#isOutputOver = true;
        this.#hub.bell.ring();
      } else if (item.kind === "message") {
        this.#outputs += 1;
        yield item.value;
      }
    }
  }

  async *#readLines(label: string): AsyncGenerator<string> {
    for (;;) {
      const item = await this.#hub.next(label);
      if (item.kind === "eof") return;
      if (item.kind === "message") yield `${item.topic ?? ""}\t${JSON.stringify(item.value)}\n`;
    }
  }
}
