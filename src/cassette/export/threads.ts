// The conversations in a cassette. Prompts that only grow are one thread: the last prompt and its answer. Where a prompt was
// rewritten, or several conversations were recorded as one, every longest line of prompts is a thread. Prompts are kept as a tree
// of messages, which holds shared messages once.

import { canonicalize, sha256Hex, type LlmMessage, type LlmTurnResponse } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import type { CassetteEntry } from "../file/format.js";
import { MAX_EXPORT_CHARACTERS } from "../limits.js";

export interface ThreadTurn {
  turnIndex: number;
  /** How many of the thread's messages were its prompt. */
  promptLength: number;
  response: LlmTurnResponse;
}

/** A conversation. Every turn of a cassette is in exactly one thread, though threads may begin with the same messages. */
export interface Thread {
  /** The last prompt and its answer. */
  messages: LlmMessage[];
  turns: ThreadTurn[];
  /** Turns whose answer the next prompt rewrote. */
  rewritten: number;
}

interface Node {
  parent: Node | undefined;
  /** Absent at the root. */
  message?: LlmMessage;
  key: string;
  depth: number;
  /** Characters of this message and all before it. */
  size: number;
  children: Map<string, Node>;
  /** The answers to the prompt that ends here. */
  answers: Set<string>;
  /** Turns that this message answers and that are in no thread yet. */
  answered: TreeTurn[];
}

interface TreeTurn {
  entry: CassetteEntry;
  node: Node;
  answerKey: string;
}

/** What an export writes: each thread once, or for each turn its prompt and `perTurn` more characters. */
export type ThreadExtent = { kind: "threads" } | { kind: "prompts"; perTurn: (turnIndex: number) => number };

/** The threads in the order they ended; turns with only hashes of prompts are one without messages. Throws `export-too-large`. */
export function findThreads(
  entries: readonly CassetteEntry[],
  extent: ThreadExtent,
  maxCharacters = MAX_EXPORT_CHARACTERS,
): Thread[] {
  if (entries.some(({ prompt }) => prompt === undefined)) {
    const turns = entries.map(({ turnIndex, response }) => ({ turnIndex, promptLength: 0, response }));
    return [{ messages: [], turns, rewritten: 0 }];
  }
  const turns = plant(entries);
  const last = findEnds(turns);
  assertFits(extent.kind === "threads" ? last : turns, extent, maxCharacters);
  return last.map(toThread);
}

function plant(entries: readonly CassetteEntry[]): TreeTurn[] {
  const path: Node[] = [createNode(undefined, "")];
  return entries.map((entry) => {
    const { keep, messages } = entry.prompt ?? { keep: 0, messages: [] };
    path.length = keep + 1;
    for (const message of messages) path.push(grow(path.at(-1) as Node, message));
    const node = path.at(-1) as Node;
    const answerKey = sha256Hex(canonicalize(entry.response.message));
    node.answers.add(answerKey);
    return { entry, node, answerKey };
  });
}

function grow(parent: Node, message: LlmMessage): Node {
  const text = canonicalize(message);
  const key = sha256Hex(text);
  const known = parent.children.get(key);
  if (known !== undefined) return known;
  const node = createNode(parent, key);
  node.message = message;
  node.size += text.length;
  parent.children.set(key, node);
  return node;
}

function createNode(parent: Node | undefined, key: string): Node {
  const depth = parent === undefined ? 0 : parent.depth + 1;
  const size = parent?.size ?? 0;
  return { parent, key, depth, size, children: new Map(), answers: new Set(), answered: [] };
}

/** The turns that no later prompt continues. Every other turn is noted at the message that continues it. */
function findEnds(turns: readonly TreeTurn[]): TreeTurn[] {
  const rewritten = new Map<Node, Node | undefined>();
  return turns.filter((turn) => {
    const { node, answerKey } = turn;
    if (!rewritten.has(node)) rewritten.set(node, findRewritten(node));
    const next = node.children.get(answerKey) ?? rewritten.get(node);
    next?.answered.push(turn);
    return next === undefined;
  });
}

/** An assistant message after a prompt that is the answer of none of its turns: their answer, rewritten. */
function findRewritten({ children, answers }: Node): Node | undefined {
  return [...children.values()].find(({ message, key }) => message?.role === "assistant" && !answers.has(key));
}

function assertFits(turns: readonly TreeTurn[], extent: ThreadExtent, maxCharacters: number): void {
  const more = (turn: TreeTurn): number => (extent.kind === "threads" ? 0 : extent.perTurn(turn.entry.turnIndex));
  const characters = turns.reduce((sum, turn) => sum + turn.node.size + more(turn), 0);
  if (characters <= maxCharacters) return;
  const what = `the messages of this export have ${characters} characters, more than the limit of ${maxCharacters}`;
  throw new CassetteError("export-too-large", what, {
    hint: "Every thread is written whole, and with otlp every prompt too. Export fewer turns, or use a format of messages.",
  });
}

function toThread(end: TreeTurn): Thread {
  const messages: LlmMessage[] = [end.entry.response.message];
  const listed = [end];
  let rewritten = 0;
  for (let node: Node | undefined = end.node; node?.message !== undefined; node = node.parent) {
    messages.push(node.message);
    for (const turn of node.answered) {
      listed.push(turn);
      if (turn.answerKey !== node.key) rewritten++;
    }
    node.answered = [];
  }
  const turns = listed
    .sort((a, b) => a.entry.turnIndex - b.entry.turnIndex)
    .map(({ entry, node }) => ({ turnIndex: entry.turnIndex, promptLength: node.depth, response: entry.response }));
  return { messages: messages.reverse(), turns, rewritten };
}
