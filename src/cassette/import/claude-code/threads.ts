// The threads of a transcript, found by `uuid` and `parentUuid`: every path from a line without a parent to an answer that no
// other answer follows. Going back in the program to ask something else forks a thread, and side agents have threads of their
// own. Lines are visited once, in their order, and a parent comes before its children.

import type { JsonObject } from "../../../core/index.js";
import { MAX_THREAD_LINES } from "../../limits.js";
import type { RepairLog } from "../repair.js";
import { malformed, toName } from "../foreign-json.js";
import { answerIdOf, kindOf, resultIdsOf, type LineKind } from "./lines.js";

/** One conversation as lines of the transcript, each answer's lines next to each other. */
export interface TranscriptThread {
  lines: JsonObject[];
  /** The side agent whose thread it is: its id, or "" if it has none. */
  sideAgent?: string;
}

/** A message: one line, or all the lines of one answer. */
interface Node {
  lines: JsonObject[];
  isAnswer: boolean;
  side: string;
  parent: Node | undefined;
  children: Node[];
  /** True when this or a later message is an answer. */
  isAnswered: boolean;
  /** In an answer: the last of its results so far, and the calls that have a result. */
  results?: { last: Node; ids: Set<string> };
  /** In a tool result: the answer whose calls it belongs to. */
  answer?: Node;
}

/** Splits lines into threads, in the order of their last answers. `dropped` counts the lines in no thread. */
export function toThreads(lines: readonly JsonObject[], dropped: RepairLog): TranscriptThread[] {
  const nodes = toNodes(lines, dropped);
  for (const node of nodes.toReversed()) {
    node.isAnswered ||= node.isAnswer || node.children.some((child) => child.isAnswered);
  }
  const threads: TranscriptThread[] = [];
  let total = 0;
  const inThreads = new Set<Node>();
  for (const end of nodes.filter((node) => node.isAnswer && !node.children.some((child) => child.isAnswered))) {
    const path = [...pathTo(end), ...trailing(end)];
    if (inThreads.has(path[0] as Node)) dropped.add("thread-forked");
    for (const node of path) inThreads.add(node);
    const found = path.flatMap((node) => node.lines);
    total += found.length;
    if (total > MAX_THREAD_LINES) throw malformed(`its threads have more than ${MAX_THREAD_LINES} lines together`);
    threads.push({ lines: found, ...(end.side === "" ? {} : { sideAgent: end.side.slice(1) }) });
  }
  // Without any answer, all messages are one thread.
  if (threads.length === 0 && nodes.length > 0) return [{ lines: nodes.flatMap((node) => node.lines) }];
  for (const node of nodes) if (!inThreads.has(node)) dropped.add("branch-unanswered");
  return threads;
}

function pathTo(end: Node): Node[] {
  const path: Node[] = [];
  for (let node: Node | undefined = end; node !== undefined; node = node.parent) path.push(node);
  return path.reverse();
}

/** The messages after the last answer, along the latest branch. */
function trailing(end: Node): Node[] {
  const path: Node[] = [];
  for (let node = end.children.at(-1); node !== undefined; node = node.children.at(-1)) path.push(node);
  return path;
}

/** What a line names as its parent: a message, a cleared context, nothing, or a line that is missing. */
type Place = { kind: "node"; node: Node } | { kind: "cleared" } | { kind: "none" } | { kind: "unknown" };

function toNodes(lines: readonly JsonObject[], dropped: RepairLog): Node[] {
  const hasParents = lines.some((line) => toName(line["parentUuid"]) !== undefined);
  const places = new Map<string, Place>();
  const answers = new Map<string, Node>();
  const lastOf = new Map<string, Node>();
  const nodes: Node[] = [];

  for (const line of lines) {
    const uuid = toName(line["uuid"]);
    if (uuid !== undefined && places.has(uuid)) {
      dropped.add("line-repeated");
      continue;
    }
    const kind = kindOf(line);
    const parentId = toName(line["parentUuid"]);
    const above: Place = parentId === undefined ? { kind: "none" } : (places.get(parentId) ?? { kind: "unknown" });
    const isSaid = kind === "user" || kind === "answer" || kind === "tool-result";
    const node = isSaid ? place(line, kind, above) : undefined;
    if (node === undefined) dropped.add(kind === "api-error" ? "error-exchange-dropped" : "meta-line-dropped");
    if (uuid === undefined) continue;
    if (node !== undefined) places.set(uuid, { kind: "node", node });
    else places.set(uuid, kind === "clear" ? { kind: "cleared" } : above);
    if (kind === "clear") lastOf.delete(streamOf(line));
  }
  return nodes;

  function place(line: JsonObject, kind: LineKind, above: Place): Node {
    const side = sideOf(line);
    const answerId = kind === "answer" ? answerIdOf(line) : undefined;
    const begun = answerId === undefined ? undefined : answers.get(`${side} ${answerId}`);
    if (begun !== undefined) {
      begun.lines.push(line);
      return begun;
    }
    const parent = findParent(line, kind, above);
    const node: Node = { lines: [line], isAnswer: kind === "answer", side, parent, children: [], isAnswered: false };
    if (answerId !== undefined) answers.set(`${side} ${answerId}`, node);
    join(node, resultIdsOf(line));
    nodes.push(node);
    lastOf.set(streamOf(line), node);
    return node;
  }

  function findParent(line: JsonObject, kind: LineKind, above: Place): Node | undefined {
    if (above.kind === "node") return above.node.side === sideOf(line) ? above.node : undefined;
    if (above.kind === "cleared" || (above.kind === "none" && kind === "user" && hasParents)) return undefined;
    const last = lastOf.get(streamOf(line));
    if (last !== undefined) dropped.add("parent-missing");
    return last;
  }
}

/** Names the side of a line: the main thread is "", a side agent "/" and its id. */
function sideOf(line: JsonObject): string {
  return line["isSidechain"] === true ? `/${toName(line["agentId"]) ?? ""}` : "";
}

/** Names the stream of lines in which a line without a parent follows the one before. */
function streamOf(line: JsonObject): string {
  return `${toName(line["sessionId"]) ?? ""} ${sideOf(line)}`;
}

/**
 * Adds a node to the children of its parent. The results of one answer's calls each name the line of their own call as their
 * parent: here they follow one another, and what follows any of them follows the last. A second result of one call is a fork.
 */
function join(node: Node, resultIds: readonly string[]): void {
  const above = node.parent;
  const answer = above?.isAnswer === true ? above : above?.answer;
  if (answer !== undefined && resultIds.length > 0 && !resultIds.some((id) => answer.results?.ids.has(id) === true)) {
    node.parent = answer.results?.last ?? answer;
    node.answer = answer;
    const ids = answer.results?.ids ?? new Set<string>();
    for (const id of resultIds) ids.add(id);
    answer.results = { last: node, ids };
  } else if (above?.answer?.results !== undefined && resultIds.length === 0) {
    node.parent = above.answer.results.last;
  }
  node.parent?.children.push(node);
}
