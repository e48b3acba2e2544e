// The model calls of traces, put into runs. A run is one trace, or one agent of it where several made calls; its turns are
// the calls in the order in which they began. A call that lies around another is the same one, seen from further out, and is
// passed over.

import type { JsonObject, JsonValue } from "../../core/index.js";
import type { LogCalls } from "./calls.js";
import type { RepairLog } from "./repair.js";
import { createCallReader, type TracedCall } from "./traced-call.js";
import { malformed, toText } from "./value.js";

/** A span or an observation, as far as its place is concerned. */
export interface TraceNode {
  traceId: string;
  id: string;
  parentId?: string;
  name: string;
  /** Anything that orders the nodes of one text. */
  start: bigint;
  isCall: boolean;
  /** The agent it names, or is. */
  agent?: string;
  /** What the reader of a call needs. */
  payload: JsonObject;
}

/** A chain of parents longer than this is a loop. */
const MAX_ANCESTORS = 1_000;

/** The runs of a text, each a record for `readRun`. Throws `import-malformed` where there is no call. */
export function toRuns(nodes: readonly TraceNode[], nameOf: (root: TraceNode) => string): JsonObject[] {
  const byId = new Map(nodes.map((node) => [key(node.traceId, node.id), node]));
  const ancestors = new Map<TraceNode, TraceNode[]>();
  const calls = nodes
    .filter(({ isCall }) => isCall)
    .sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0));
  for (const node of calls) ancestors.set(node, ancestorsOf(node, byId));
  const outer = new Set([...ancestors.values()].flat());
  const inner = calls.filter((node) => !outer.has(node));
  if (inner.length === 0) throw malformed("it holds no call of a model");

  const agents = new Map<string, Set<string>>();
  const runs = new Map<string, { root: TraceNode; agent: string; calls: JsonValue[] }>();
  for (const node of inner) {
    const above = ancestors.get(node) ?? [];
    const agent = [node, ...above].find((one) => one.agent !== undefined)?.agent ?? "";
    agents.set(node.traceId, (agents.get(node.traceId) ?? new Set()).add(agent));
    const run = runs.get(key(node.traceId, agent)) ?? { root: above.at(-1) ?? node, agent, calls: [] };
    runs.set(key(node.traceId, agent), run);
    run.calls.push(node.payload);
  }
  return [...runs.values()].map(({ root, agent, calls: payloads }) => {
    const isOneOfMany = agent !== "" && (agents.get(root.traceId)?.size ?? 0) > 1;
    const task = isOneOfMany ? `${nameOf(root)}/${agent}` : nameOf(root);
    return { task, trial: root.traceId, calls: payloads };
  });
}

/** Reads one run, as `toRuns` gives it. */
export function readRun(
  record: JsonObject,
  repairs: RepairLog,
  readCall: (payload: JsonObject, repairs: RepairLog) => TracedCall,
): LogCalls {
  const { task, trial, calls } = record;
  const read = createCallReader(repairs);
  const traced = (calls as JsonObject[]).map((payload) => readCall(payload, repairs));
  const model = traced.map((call) => call.model).find((name) => name !== undefined);
  return {
    ...(model === undefined ? {} : { model }),
    task: toText(task) || "trace",
    ...(trial === undefined || trial === "" ? {} : { trial: toText(trial) }),
    calls: traced.flatMap(read),
  };
}

function ancestorsOf(node: TraceNode, byId: ReadonlyMap<string, TraceNode>): TraceNode[] {
  const found: TraceNode[] = [];
  let at: TraceNode | undefined = node;
  while (at?.parentId !== undefined && found.length < MAX_ANCESTORS) {
    at = byId.get(key(at.traceId, at.parentId));
    if (at === node) break;
    if (at !== undefined) found.push(at);
  }
  return found;
}

function key(...parts: string[]): string {
  return JSON.stringify(parts);
}
