// The threads of a log whose lines name the line before them: every path from a root to an answer that no other answer follows. A line
// comes after the one it names. Going back to say something else forks a thread, and both keep their beginning.

import { MAX_THREAD_LINES } from "../limits.js";
import type { RepairLog } from "./repair.js";
import { malformed } from "./foreign-json.js";

export interface TreeLine<Line> {
  line: Line;
  id: string | undefined;
  /** Undefined for a root, or for a line that follows the one before it. */
  parentId: string | undefined;
  isAnswer: boolean;
}

interface Node<Line> extends TreeLine<Line> {
  parent: Node<Line> | undefined;
  children: Node<Line>[];
  /** True when this or a later line is an answer. */
  isAnswered: boolean;
}

/** Splits lines into threads, in the order of their last answers. Without any answer, all lines are one thread. */
export function toTreeThreads<Line>(lines: readonly TreeLine<Line>[], dropped: RepairLog): Line[][] {
  const nodes = toNodes(lines, dropped);
  for (const node of nodes.toReversed()) {
    node.isAnswered ||= node.isAnswer || node.children.some((child) => child.isAnswered);
  }
  const threads: Line[][] = [];
  const inThreads = new Set<Node<Line>>();
  let total = 0;
  for (const end of nodes.filter((node) => node.isAnswer && !node.children.some((child) => child.isAnswered))) {
    const path = [...pathTo(end), ...trailing(end)];
    if (inThreads.has(path[0] as Node<Line>)) dropped.add("thread-forked");
    for (const node of path) inThreads.add(node);
    total += path.length;
    if (total > MAX_THREAD_LINES) throw malformed(`its threads have more than ${MAX_THREAD_LINES} lines together`);
    threads.push(path.map(({ line }) => line));
  }
  if (threads.length === 0) return [nodes.map(({ line }) => line)];
  dropped.add("branch-unanswered", nodes.filter((node) => !inThreads.has(node)).length);
  return threads;
}

function toNodes<Line>(lines: readonly TreeLine<Line>[], dropped: RepairLog): Node<Line>[] {
  const hasParents = lines.some(({ parentId }) => parentId !== undefined);
  const byId = new Map<string, Node<Line>>();
  const nodes: Node<Line>[] = [];
  for (const line of lines) {
    if (line.id !== undefined && byId.has(line.id)) {
      dropped.add("line-repeated");
      continue;
    }
    const named = line.parentId === undefined ? undefined : byId.get(line.parentId);
    if (named === undefined && line.parentId !== undefined) dropped.add("parent-missing");
    const isRoot = line.parentId === undefined && hasParents && line.id !== undefined;
    const parent = named ?? (isRoot ? undefined : nodes.at(-1));
    const node: Node<Line> = { ...line, parent, children: [], isAnswered: false };
    parent?.children.push(node);
    nodes.push(node);
    if (line.id !== undefined) byId.set(line.id, node);
  }
  return nodes;
}

function pathTo<Line>(end: Node<Line>): Node<Line>[] {
  const path: Node<Line>[] = [];
  for (let node: Node<Line> | undefined = end; node !== undefined; node = node.parent) path.push(node);
  return path.reverse();
}

/** The lines after the last answer, along the latest branch. */
function trailing<Line>(end: Node<Line>): Node<Line>[] {
  const path: Node<Line>[] = [];
  for (let node = end.children.at(-1); node !== undefined; node = node.children.at(-1)) path.push(node);
  return path;
}
