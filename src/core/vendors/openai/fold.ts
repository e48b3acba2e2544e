// Assembles a chat completion from its chunks. Specification: OpenAI API reference, "The chat completion chunk object".

import { isPlainObject } from "../../canon/value.js";
import type { LlmStreamDelta } from "../../model/provider.js";
import { createChoiceFold, type ChoiceFold } from "./choice-fold.js";
import { toPiece, type Fold, type StreamWire } from "../../http/fold.js";
import { decodeOpenAi } from "./decode.js";
import { createSseReader } from "../../http/sse.js";
import { refuseErrorBody, toCount, toList, toObject, type Decoding, type WireObject } from "../../http/json-readers.js";

/** Chat completions, streamed. The answer is whole with `[DONE]`, a finish reason or the last usage chunk. */
export const openAiStream: StreamWire = {
  createReader: createSseReader,
  createFold: createOpenAiFold,
  decode: decodeOpenAi,
  isSse: true,
  endMark: "[DONE]",
};

function createOpenAiFold(decoding: Decoding): Fold {
  /** The choice of the lowest index so far. Only this one becomes the response. */
  let lowest: { index: number; fold: ChoiceFold } | undefined;
  let hasOthers = false;
  let usage: WireObject = {};
  let model = "";
  const about: Record<string, unknown> = {};
  let hasLastUsage = false;

  const takeChoice = (value: unknown): LlmStreamDelta[] => {
    const choice = toObject(value);
    refuseErrorBody(choice["error"], decoding);
    const index = toCount(choice["index"]) ?? 0;
    usage = mergeUsage(usage, choice["usage"]);
    hasOthers ||= lowest !== undefined && lowest.index !== index;
    if (lowest !== undefined && index > lowest.index) return [];
    // An index below all others is new, so nothing of this choice is lost.
    if (lowest?.index !== index) lowest = { index, fold: createChoiceFold(decoding) };
    return lowest.fold.take(choice);
  };
  return {
    isEnded: () => false,
    isWhole: () => hasLastUsage || lowest?.fold.hasFinished() === true,
    take(json) {
      const chunk = toObject(json);
      refuseErrorBody(chunk["error"], decoding);
      // vLLM's older errors have no `error` around them.
      if (chunk["object"] === "error") refuseErrorBody(chunk, decoding);
      model ||= toPiece(chunk["model"]);
      for (const name of ABOUT) about[name] = chunk[name] ?? about[name];
      const list = toList(chunk["choices"]);
      // Groq uses a name of its own unless the request wants usage.
      usage = mergeUsage(usage, chunk["usage"] ?? toObject(chunk["x_groq"])["usage"]);
      hasLastUsage ||= list.length === 0 && Array.isArray(chunk["choices"]) && isPlainObject(chunk["usage"]);
      return list.flatMap(takeChoice);
    },
    body: () => ({
      model,
      ...about,
      // One stands for all the others, so that the decoder can note them.
      choices: lowest === undefined ? [] : [lowest.fold.body(), ...(hasOthers ? [{}] : [])],
      ...(Object.keys(usage).length === 0 ? {} : { usage }),
    }),
  };
}

/** What the chunks say of the whole answer. */
const ABOUT = ["prompt_filter_results", "service_tier", "system_fingerprint"] as const;

/** The latest counts. A count that is null keeps its earlier value. */
function mergeUsage(usage: WireObject, value: unknown): WireObject {
  const counts = Object.entries(toObject(value));
  if (counts.length === 0) return usage;
  return Object.fromEntries(
    counts.map(([name, count]) => [name, count ?? (Object.hasOwn(usage, name) ? usage[name] : count)]),
  );
}
