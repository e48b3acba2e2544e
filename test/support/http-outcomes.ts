// What became of recorded traffic, in the words of docs/wires.md.

import { AgentError } from "../../src/core/errors.js";
import { VENDORS } from "../../src/core/vendors/vendors.js";
import { isStreamed, readBytes, requestOf } from "./http-lines.js";
import { endpointOfLoose, looseBytes, wireOfLoose, type LooseBody } from "./loose-bodies.js";
import type { Passed } from "./recorded-doors.js";

/** `turn` was decoded, `error` is a typed error, `exchange` is kept as HTTP, `begun` began a conversation without a turn. */
export type Kind = "turn" | "error" | "exchange" | "begun" | "unexplained";

export interface Counted {
  readonly file: string;
  readonly kind: Kind;
  /** Why it is not a turn, or "". */
  readonly reason: string;
  readonly isStreamed: boolean;
}

/** Why a turn is an exchange, by the words that the proxy prints. Anything else is unexplained. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/has a (?:part|block) of type/, "a file, speech, a search result or another part that a turn cannot hold"],
  [/tools has one of type/, "a tool that is not a function"],
  [/asks for \d answers/, "several answers to one request"],
  [/background asks/, "an answer in the background"],
  [/on the vendor's server|vendor's server has cached/, "a container or cached content on the vendor's server"],
  [/input must be a text or a list of items/, "no input next to a prompt of the vendor's server"],
  [/is not JSON in UTF-8/, "a body that is missing or torn in the recording"],
];

/** Endpoints that are not turns, by their paths. */
const ENDPOINTS: readonly (readonly [RegExp, string])[] = [
  [/\/(?:count_tokens|input_tokens|tokenize)$|:countTokens$/, "counts of tokens"],
  [/embed|\/embeddings$/i, "embeddings, and counts of their use"],
  [/\/cachedContents(?:\/|$)/, "cached contents of Gemini"],
  [/\/interactions$/, "Gemini interactions"],
  [/:batchGenerateContent$/, "batches of Gemini"],
  [/\/responses\/compact$/, "compaction of a conversation"],
  [/\/responses(?:\/resp_|$)|\/conversations\//, "reading and deleting of Responses and their conversations"],
  [/\/v2\/rerank$/, "Cohere's reranking"],
  [/\/v1\/(?:chat|generate)$|\/api\/generate$/, "older endpoints of Cohere, and Ollama's completion of a plain prompt"],
  [/\/v1\/ocr$/, "Mistral's OCR"],
];

export function countPassed(file: string, { line, outcome, reason }: Passed): Counted {
  const counted = (kind: Kind, why = ""): Counted => {
    return { file, kind, reason: why, isStreamed: isStreamed(readBytes(line)) };
  };
  const unexplained = counted("unexplained", `${line.id}: ${outcome} ${reason ?? ""}`);
  const explained = (list: typeof REASONS, text: string): Counted => {
    const known = list.find(([pattern]) => pattern.test(text));
    return known === undefined ? unexplained : counted("exchange", known[1]);
  };
  switch (outcome) {
    case "turn":
      return counted("turn");
    case "begun":
      return counted("begun", "the start of a conversation on the vendor's server");
    case "failed":
      return counted("error", `HTTP ${line.response.status}`);
    case "lost":
      return /answered with an error/.test(reason ?? "") ? counted("error", IN_SUCCESS) : unexplained;
    case "exchange":
      return reason === undefined ? explained(ENDPOINTS, requestOf(line).path) : explained(REASONS, reason);
    default:
      return unexplained;
  }
}

/** An answer without its request, read by its wire alone. */
export function countLoose(file: string, loose: LooseBody): Counted {
  const bytes = looseBytes(loose);
  const isStream = isStreamed(bytes);
  const endpoint = endpointOfLoose(loose);
  if (endpoint !== undefined) return { file, kind: "exchange", reason: endpoint, isStreamed: isStream };
  try {
    VENDORS[wireOfLoose(loose)].read({ bytes, isStream, isCut: false });
    return { file, kind: "turn", reason: "", isStreamed: isStream };
  } catch (error) {
    const text = error instanceof AgentError ? error.message : String(error);
    const known = error instanceof AgentError ? LOOSE_ERRORS.find(([pattern]) => pattern.test(text)) : undefined;
    return known === undefined
      ? { file, kind: "unexplained", reason: `${loose.source}: ${text}`, isStreamed: isStream }
      : { file, kind: "error", reason: known[1], isStreamed: isStream };
  }
}

const IN_SUCCESS = "an error under HTTP 200";

const LOOSE_ERRORS: readonly (readonly [RegExp, string])[] = [
  [/answered with an error/, IN_SUCCESS],
  [/ended before its answer was whole/, "a stream without its end"],
];

/** One row for each file. */
export function toFileTable(all: readonly Counted[]): string {
  const row = (name: string, own: readonly Counted[]): string => {
    const of = (...kinds: readonly Kind[]) => own.filter(({ kind }) => kinds.includes(kind));
    const streamed = of("turn").filter((turn) => turn.isStreamed).length;
    const others = [of("error"), of("exchange", "begun"), of("unexplained")].map(({ length }) => length);
    return `| ${[name, own.length, of("turn").length - streamed, streamed, ...others].join(" | ")} |`;
  };
  return [
    "| file | exchanges | turns, whole | turns, streamed | typed errors | kept as exchanges | unexplained |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ...[...groupBy(all, ({ file }) => file)].map(([file, own]) => row(`\`${file}\``, own)),
    row("all", all),
  ].join("\n");
}

/** One row for each reason, the most frequent first. */
export function toReasonTable(all: readonly Counted[], kinds: readonly Kind[], title: string): string {
  const own = all.filter(({ kind }) => kinds.includes(kind));
  const reasons = groupBy(own, ({ reason }) => reason);
  const rows = [...reasons].sort(([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1));
  return [
    `| ${title} | exchanges | in |`,
    "| --- | ---: | --- |",
    ...rows.map(([reason, each]) => `| ${reason} | ${each.length} | ${filesOf(each)} |`),
  ].join("\n");
}

function filesOf(own: readonly Counted[]): string {
  const files = [...groupBy(own, ({ file }) => file)];
  return files.map(([file, each]) => `\`${file}\` ${each.length}`).join(", ");
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
