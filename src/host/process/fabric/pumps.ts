// The parts of a fabric that move items: into agents, out of them, and through inline wires.

import { showValue, sleep, thrownText, type JsonValue, type Ports } from "../../../core/index.js";
import { EOF, FLOW_MARKER, PlumbError, type PortName, type WireItem } from "../../../core/process/index.js";
import { MAX_UNREAD_REPLIES, SCHEDULE_PATIENCE_MS } from "../../limits.js";
import type { Wire } from "./graph.js";
import type { Hub, Member } from "./hub.js";
import { isReadyWord } from "./zmq-link.js";

const FLOW: WireItem = { kind: "marker", name: FLOW_MARKER };

/** Sends an agent a marker. When it comes back, the agent is ready. */
export function askReady({ child }: Member): Promise<void> {
  return child.write("data_in", FLOW);
}

/** Gives an agent its messages while it holds few and its readers have room. */
export async function feed(hub: Hub, member: Member): Promise<void> {
  const { name, child, flow } = member;
  const ports = [name, `${name}.telemetry`];
  const mayTake = (item: WireItem): boolean =>
    item.kind !== "message" || (flow.isOpen && ports.every((port) => hub.network.hasRoom(port)));
  for (;;) {
    const item = await hub.next(name, mayTake);
    await child.write("data_in", item);
    if (item.kind === "eof") return;
    if (item.kind === "message" && flow.send()) await child.write("data_in", FLOW);
  }
}

export async function feedControl(hub: Hub, { name, child }: Member): Promise<void> {
  const port = `${name}.ctrl_in`;
  if (!hub.network.ports.includes(port)) return;
  for (;;) {
    const item = await hub.next(port);
    if (item.kind === "eof") return;
    if (item.kind === "message") await child.write("ctrl_in", item);
  }
}

/** Handles an item that an agent sent. */
export function receive(hub: Hub, member: Member, port: PortName, item: WireItem): void {
  const { name } = member;
  const isFlow = item.kind === "marker" && item.name === FLOW_MARKER;
  const from = port === "data_out" ? name : `${name}.${port}`;
  if (isFlow && port === "data_out") acknowledge(hub, member);
  if (port === "ctrl_out" && !member.isReady && item.kind === "message" && isReadyWord(item.value)) {
    member.isReady = true;
    hub.bell.ring();
    return;
  }
  if (port === "tool_req") {
    if (item.kind === "message") runTool(hub, member, item.value);
    return;
  }
  if (isFlow || (port !== "data_out" && port !== "telemetry" && port !== "ctrl_out")) return;
  if (item.kind === "eof") {
    hub.endPort(member, from);
    if (port === "data_out") endControl(member);
    return;
  }
  if (port === "ctrl_out" && item.kind === "message") keepReply(member, item.value);
  hub.push(from, item.kind === "message" ? { ...item, topic: name } : item);
}

function acknowledge(hub: Hub, member: Member): void {
  if (member.isReady) member.flow.acknowledge();
  member.isReady = true;
  hub.bell.ring();
}

/** Runs a tool for an agent. A request that cannot be answered ends the fabric, since the agent would wait. */
function runTool(hub: Hub, { name, child, tools }: Member, request: JsonValue): void {
  if (tools === undefined) {
    const hint = "Name the tool in its spec.";
    hub.fail(
      new PlumbError("graph-invalid", `${name} requested a tool, but its spec has no tools`, hint, { agent: name }),
    );
    return;
  }
  const answered = tools.answer(request).then(async (value) => {
    if (value !== undefined) await child.write("tool_resp", { kind: "message", value });
  });
  hub.watch(answered);
}

/** Ends control, because the agent has ended its output. */
function endControl({ child, tools }: Member): void {
  if (tools !== undefined) void child.write("tool_resp", EOF);
  void child.write("ctrl_in", { kind: "message", value: { stop: true } });
  void child.write("ctrl_in", EOF).then(() => child.endInput());
}

function keepReply(member: Member, value: JsonValue): void {
  member.replies?.push(value);
  if ((member.replies?.length ?? 0) > MAX_UNREAD_REPLIES) member.replies?.shift();
}

/** Throws for a value that JSON cannot represent. Its line would be the word `undefined`. */
export function assertMessage(value: unknown, what: string): void {
  try {
    if (JSON.stringify(value) !== undefined) return;
  } catch {
    // A cycle, or a bigint somewhere in it.
  }
  throw new PlumbError("not-json", `${what} is ${showValue(value)}`, "Use a JSON value.");
}

/** Drops and changes the messages of one wire, in order. */
export async function runInline(hub: Hub, { from, to, filter, map, session }: Wire, node: string): Promise<void> {
  for (let step = 0; ;) {
    const item = await hub.next(node, () => hub.network.hasRoom(node));
    if (item.kind !== "message") {
      hub.push(node, item);
      if (item.kind === "eof") return;
      continue;
    }
    hub.inlineCalls += 1;
    try {
      const given = session === true ? { __step: step++, payload: item.value } : item.value;
      if (filter !== undefined && !(await filter(given))) continue;
      const value = map === undefined ? given : await map(given);
      assertMessage(value, "the result of map");
      hub.push(node, { ...item, value });
    } catch (cause) {
      const what = `the filter or map of the wire from ${from} to ${to} threw: ${thrownText(cause)}`;
      throw new PlumbError("graph-invalid", what, "Correct the function.", { cause });
    } finally {
      hub.inlineCalls -= 1;
      hub.bell.ring();
    }
  }
}

/** Ends a run that waits in vain for the message that its schedule names. */
export async function watchSchedule(hub: Hub, ports: Ports): Promise<void> {
  for (let last = -1; last !== hub.passed || hub.network.awaited().length === 0;) {
    last = hub.passed;
    await sleep(SCHEDULE_PATIENCE_MS, ports);
    if (hub.isCancelled || hub.all.every(({ end }) => end !== undefined)) return;
  }
  const what = `the run does not follow its schedule: ${hub.network.awaited().join("; ")}`;
  throw new PlumbError("schedule-diverged", what, "Record the run again.");
}
