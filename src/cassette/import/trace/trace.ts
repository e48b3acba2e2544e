// Puts the model calls of traces into runs. A run is one trace, or one agent of it where several made calls; its turns are the
// calls in the order in which they began. A call around another is the same call seen from further out, and is skipped.

import type { JsonObject, JsonValue } from "../../../core/index.js";
import { addRepairs, createRepairLog, writeRepairs, type RepairLog } from "../repair.js";
import { malformed, toText } from "../foreign-json.js";
import type { LogCalls } from "./model-calls.js";
import { createCallReader, type TracedCall } from "./traced-call.js";

export interface TraceNode {
  traceId: string;
  id: string;
  parentId?: string | undefined;
  name: string;
  /** Orders the nodes of one text. */
  start: bigint;
  isCall: boolean;
  /** The agent that it names or is. */
  agent?: string | undefined;
  /** The input of the reader of a call. */
  payload: JsonObject;
}

/** The runs of a text, each a record for `readRun`. Throws `import-malformed` for a text without a call. */
export function toRuns(nodes: readonly TraceNode[], nameOf: (root: TraceNode) => string): JsonObject[] {
  const dropped = createRepairLog();
  const own = withoutRepeated(nodes, dropped);
  const places = placeAll(own);
  const calls = own.filter(({ isCall }) => isCall).sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0));
  const outer = outerNodes(calls, places);
  const inner = calls.filter((node) => !outer.has(node));
  if (inner.length === 0) throw malformed("it holds no call of a model");

  const agents = new Map<string, Set<string>>();
  const runs = new Map<string, { root: TraceNode; agent: string; calls: JsonValue[] }>();
  for (const node of inner) {
    const { root = node, agent = "" } = places.get(node) ?? {};
    agents.set(node.traceId, (agents.get(node.traceId) ?? new Set()).add(agent));
    const run = runs.get(key(node.traceId, agent)) ?? { root, agent, calls: [] };
    runs.set(key(node.traceId, agent), run);
    run.calls.push(node.payload);
  }
  return [...runs.values()].map(({ root, agent, calls: payloads }, index) => {
    const isOneOfMany = agent !== "" && (agents.get(root.traceId)?.size ?? 0) > 1;
    const task = isOneOfMany ? `${nameOf(root)}/${agent}` : nameOf(root);
    const lost = index > 0 ? {} : { dropped: writeRepairs(dropped) };
    return { task, trial: root.traceId, calls: payloads, ...lost };
  });
}

/** Removes the spans of an export that was sent twice. A span with a known id and other content is kept. */
function withoutRepeated(nodes: readonly TraceNode[], dropped: RepairLog): TraceNode[] {
  const known = new Map<string, { first: TraceNode; texts?: Set<string> }>();
  return nodes.filter((node) => {
    const id = key(node.traceId, node.id);
    const same = node.id === "" ? undefined : known.get(id);
    if (same === undefined) {
      known.set(id, { first: node });
      return true;
    }
    same.texts ??= new Set([toIdentity(same.first)]);
    const text = toIdentity(node);
    const isRepeated = same.texts.has(text);
    if (isRepeated && node.isCall) dropped.add("line-repeated");
    same.texts.add(text);
    return !isRepeated;
  });
}

function toIdentity({ start, ...node }: TraceNode): string {
  return JSON.stringify({ ...node, start: String(start) });
}

/** The place of a node: its parent, the nearest agent at or above it, and the uppermost node. */
interface TracePlace {
  parent: TraceNode | undefined;
  agent: string | undefined;
  root: TraceNode;
}

/** The place of every node, each visited once. A circle of parents is cut where it is first met. */
function placeAll(nodes: readonly TraceNode[]): Map<TraceNode, TracePlace> {
  const byId = new Map(nodes.map((node) => [key(node.traceId, node.id), node]));
  const places = new Map<TraceNode, TracePlace>();
  for (const node of nodes) {
    const path = new Set<TraceNode>();
    let at: TraceNode | undefined = node;
    while (at !== undefined && !places.has(at) && !path.has(at)) {
      path.add(at);
      at = at.parentId === undefined ? undefined : byId.get(key(at.traceId, at.parentId));
    }
    let parent = at !== undefined && places.has(at) ? at : undefined;
    for (const one of [...path].reverse()) {
      const above: TracePlace | undefined = parent === undefined ? undefined : places.get(parent);
      places.set(one, { parent, agent: one.agent ?? above?.agent, root: above?.root ?? one });
      parent = one;
    }
  }
  return places;
}

function outerNodes(calls: readonly TraceNode[], places: ReadonlyMap<TraceNode, TracePlace>): Set<TraceNode> {
  const outer = new Set<TraceNode>();
  for (const call of calls) {
    let at = places.get(call)?.parent;
    while (at !== undefined && !outer.has(at)) {
      outer.add(at);
      at = places.get(at)?.parent;
    }
  }
  return outer;
}

export function readRun(
  record: JsonObject,
  repairs: RepairLog,
  readCall: (payload: JsonObject, repairs: RepairLog) => TracedCall,
): LogCalls {
  const { task, trial, calls, dropped } = record;
  addRepairs(dropped, repairs);
  const reader = createCallReader(repairs);
  const traced = (calls as JsonObject[]).map((payload) => readCall(payload, repairs));
  return {
    model: traced.map((call) => call.model).find((name) => name !== undefined),
    task: toText(task) || "trace",
    trial: toText(trial) || undefined,
    calls: traced.flatMap((call) => reader.readCall(call)),
  };
}

function key(...parts: string[]): string {
  return JSON.stringify(parts);
}
