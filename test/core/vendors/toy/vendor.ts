// A vendor that nobody has, defined in one file: the model stands in the path, the verb of the path decides on streaming, and a
// header of its own goes along. toy-vendor.test.ts puts it into a copy of the package.

import type { JsonObject } from "../../../../src/core/canon/value.js";
import { toDeltas, toPiece, type StreamWire } from "../../../../src/core/http/fold.js";
import { refuseErrorBody, toList, toObject, toResponse, toText } from "../../../../src/core/http/json-readers.js";
import { createSseReader } from "../../../../src/core/http/sse.js";
import type { LlmMessage } from "../../../../src/core/model/message.js";
import type { LlmTurnRequest, LlmTurnResponse } from "../../../../src/core/model/provider.js";
import { toToolCalls } from "../../../../src/core/providers/calls.js";
import { defineVendor } from "../../../../src/core/vendors/vendor.js";
import { cutText } from "../../../../src/core/wire/cut.js";
import { jsonFault } from "../../../../src/core/wire/failure.js";
import { bodyFields } from "../../../../src/core/wire/fields.js";
import { findHeldState } from "../../../../src/core/wire/held-state.js";
import { modelOf, toSse } from "../../../../src/core/wire/pieces.js";
import { readObjects, readString, toTurn } from "../../../../src/core/wire/turn.js";

const PATH = /\/models\/([^/:]+):(say|stream)(?=\?|$)/;

const decode: StreamWire["decode"] = (json, decoding) => {
  const body = toObject(json);
  refuseErrorBody(body["error"], decoding);
  const calls = toList(body["calls"]).map(toObject);
  return toResponse({
    content: toText(body["text"]),
    toolCalls: toToolCalls(calls.map(({ id, name, input }) => ({ id, name, arguments: input }))),
    reasoning: [],
    stopReason: "stop",
    usage: undefined,
    model: toText(body["model"]),
  });
};

const format: StreamWire = {
  isSse: true,
  createReader: createSseReader,
  decode,
  createFold(decoding) {
    let [text, model, isEnded] = ["", "", false];
    const calls: unknown[] = [];
    return {
      isEnded: () => isEnded,
      isWhole: () => isEnded,
      take(json) {
        const event = toObject(json);
        refuseErrorBody(event["error"], decoding);
        calls.push(...toList(event["calls"]));
        text += toPiece(event["text"]);
        isEnded = event["done"] === true;
        model = toText(event["model"]) || model;
        return toDeltas(toPiece(event["text"]), "");
      },
      body: () => ({ text, calls, model }),
    };
  },
};

function write({ message }: LlmTurnResponse): JsonObject {
  const { content, toolCalls = [] } = message;
  const calls = toolCalls.map(({ id, name, arguments: args, malformedArguments }) => ({
    ...{ id, name },
    input: malformedArguments ?? args,
  }));
  return { text: content, calls };
}

function encode({ messages }: LlmTurnRequest): JsonObject {
  return {
    turns: messages.map(({ role, content }) => ({ who: role, text: typeof content === "string" ? content : "" })),
  };
}

export const toy = defineVendor({
  name: "toy",
  baseURL: "https://toy.example/v7",
  path: "/models/{model}:say",
  keyVariable: "TOY_KEY",
  client: { baseURLs: ["https://toy.example"], variable: "TOY_URL", path: "/v7" },
  pricing: { "toy-1": { input: 1, output: 2 } },
  call(request, { options, streaming }) {
    const model = encodeURIComponent(request.settings?.model ?? options.model);
    return {
      path: `/models/${model}:${streaming ? "stream?alt=sse" : "say"}`,
      headers: { "x-toy-key": options.apiKey ?? "" },
      body: encode(request),
    };
  },
  format,
  isTurn: ({ method, path }) => method === "POST" && PATH.test(path),
  recognises: (body) => body["turns"] !== undefined,
  messagesField: "turns",
  parse(json, path = "") {
    const [, model = "", verb] = PATH.exec(path) ?? [];
    const body = toObject(json);
    return toTurn({
      wire: "toy",
      fields: bodyFields(body, ["turns"]),
      messages: readObjects(body["turns"], "turns").map(
        (turn) =>
          ({ role: readString(turn, "who", "turns"), content: readString(turn, "text", "turns") }) as LlmMessage,
      ),
      tools: [],
      settings: {},
      model: decodeURIComponent(model),
      isStream: verb === "stream",
    });
  },
  findHeldState,
  write: (response, stamp) => ({ ...write(response), model: modelOf(response, stamp) }),
  events: (response, stamp, cut) => [
    ...cutText(cut, "text", response.message.content).map(({ text, at }) => ({ text: toSse({ text }), at })),
    { text: toSse({ calls: write(response)["calls"] ?? [] }), at: 0 },
    { text: toSse({ done: true, model: modelOf(response, stamp) }), at: 0 },
  ],
  fail: ({ code, message }) => ({ error: { code, message } }),
  faults: { overloaded: jsonFault(529, { error: { code: "overloaded", message: "too many toys" } }) },
  streamError: toSse({ error: { code: "overloaded", message: "too many toys" } }),
});
