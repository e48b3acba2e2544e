// One choice of a streamed chat completion. The fields are those that the decoder of a whole one reads.

import { isPlainObject } from "../../canon/value.js";
import type { LlmStreamDelta } from "../../model/provider.js";
import { createCallFold } from "./call-fold.js";
import { createContentFold } from "./content-fold.js";
import { isGiven } from "../../wire/fields.js";
import { assertRoom, toDeltas, toPiece } from "../../http/fold.js";
import { toCount, toJsonText, toList, toObject, type Decoding, type WireObject } from "../../http/json-readers.js";

export interface ChoiceFold {
  take(choice: WireObject): LlmStreamDelta[];
  /** A finish reason came that is not "", which some hosts send all along. */
  hasFinished(): boolean;
  body(): WireObject;
}

export function createChoiceFold(decoding: Decoding): ChoiceFold {
  const message = createMessageFold(decoding);
  let hasDelta = false;
  let finish = "";
  let filtered: WireObject = {};
  const logprobs = new Map<string, unknown[]>();

  return {
    hasFinished: () => finish !== "",
    take(choice) {
      for (const [name, list] of Object.entries(toObject(choice["logprobs"]))) {
        if (Array.isArray(list)) append(logprobs, name, list);
      }
      finish = toPiece(choice["finish_reason"]) || toPiece(toObject(choice["finish_details"])["type"]) || finish;
      // Azure judges each piece, and says nothing with some.
      filtered = { ...filtered, ...toObject(choice["content_filter_results"]) };
      // Perplexity adds the message so far to each delta. A host that sends no delta sends the message once.
      const piece = choice["delta"] ?? (hasDelta ? undefined : choice["message"]);
      hasDelta ||= isPlainObject(piece);
      return message.take(toObject(piece));
    },
    body: () => ({
      finish_reason: finish,
      logprobs: Object.fromEntries(logprobs),
      content_filter_results: filtered,
      message: message.body(),
    }),
  };
}

/** A log probability for each token, so their number is bounded as the text is. */
function append(lists: Map<string, unknown[]>, name: string, more: readonly unknown[]): void {
  const list = lists.get(name) ?? [];
  for (const item of more) list.push(item);
  lists.set(name, list);
}

function createMessageFold(decoding: Decoding) {
  const content = createContentFold(decoding);
  const toolCalls = createCallFold(decoding);
  const details = new Map<string, WireObject>();
  const texts = { refusal: "", reasoning_content: "", reasoning: "" };
  const legacy = { name: "", arguments: "" };
  const audio = { transcript: "", data: "" };
  const annotations: unknown[] = [];

  const takeSpoken = (piece: WireObject): LlmStreamDelta[] => {
    const isFirstRefusal = texts.refusal === "";
    for (const name of ["refusal", "reasoning_content", "reasoning"] as const) texts[name] += toPiece(piece[name]);
    const sound = toObject(piece["audio"]);
    audio.transcript += toPiece(sound["transcript"]);
    audio.data ||= toPiece(sound["data"]);
    for (const annotation of toList(piece["annotations"])) {
      assertRoom(annotations.length, "annotations", decoding);
      annotations.push(annotation);
    }
    const { text, thought } = content.take(piece["content"]);
    const detailed = toList(piece["reasoning_details"]).map((item) => addDetail(details, toObject(item), decoding));
    const refusal = toPiece(piece["refusal"]);
    const said = content.isEmpty() ? toPiece(sound["transcript"]) : text;
    return toDeltas(
      // The decoder puts a refusal on a line of its own.
      said + (refusal !== "" && isFirstRefusal && !content.isEmpty() ? "\n" : "") + refusal,
      thought + (toPiece(piece["reasoning_content"]) || toPiece(piece["reasoning"]) || detailed.join("")),
    );
  };
  const takeLegacy = (call: WireObject): LlmStreamDelta => {
    const name = toPiece(call["name"]);
    const written = call["arguments"] ?? "";
    const argumentsText = typeof written === "string" ? written : toJsonText(written);
    legacy.name ||= name;
    legacy.arguments += argumentsText;
    return { type: "tool-call-delta", index: 0, ...(name === "" ? {} : { name }), argumentsText };
  };

  return {
    take(piece: WireObject): LlmStreamDelta[] {
      const legacyCall = piece["function_call"];
      return [
        ...takeSpoken(piece),
        ...toList(piece["tool_calls"]).map((call) => toolCalls.take(call)),
        ...(isPlainObject(legacyCall) ? [takeLegacy(legacyCall)] : []),
      ];
    },
    body: (): WireObject => ({
      role: "assistant",
      content: content.body(),
      ...texts,
      reasoning_details: [...details.values()],
      audio,
      annotations,
      tool_calls: toolCalls.calls(),
      function_call: legacy,
    }),
  };
}

/** Adds a piece of OpenRouter's details, which are one for each type and index. Encrypted data is whole. Returns the thought in it. */
function addDetail(details: Map<string, WireObject>, detail: WireObject, decoding: Decoding): string {
  const index = toCount(detail["index"]) ?? (toPiece(detail["data"]) === "" ? "" : `data ${details.size}`);
  const key = `${toPiece(detail["type"])}/${index}`;
  if (!details.has(key)) assertRoom(details.size, "reasoning details", decoding);
  const before = details.get(key) ?? {};
  const text = toPiece(detail["text"]);
  const summary = toPiece(detail["summary"]);
  const given = Object.entries(detail).filter(([, value]) => isGiven(value));
  const joined = { text: toPiece(before["text"]) + text, summary: toPiece(before["summary"]) + summary };
  details.set(key, {
    ...before,
    ...Object.fromEntries(given),
    ...Object.fromEntries(Object.entries(joined).filter(([, words]) => words !== "")),
  });
  return text || summary;
}
