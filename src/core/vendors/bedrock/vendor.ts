// Amazon Bedrock's Converse and ConverseStream. The URL names the model, and whether to stream.

import { isPlainObject } from "../../canon/value.js";
import { toList } from "../../http/json-readers.js";
import type { CallTerms, KeyedVendorOptions } from "../../providers/vendor-options.js";
import { findHeldState } from "../../wire/held-state.js";
import { defineVendor } from "../vendor.js";
import { encodeBedrock } from "./encode.js";
import { bedrockStream } from "./fold.js";
import { parseBedrock } from "./parse.js";
import { bedrockFaults, bedrockStreamError, failBedrock } from "./refusals.js";
import { BEDROCK_TURN, bedrockTraits } from "./traits.js";
import { bedrockEvents, writeBedrock } from "./write.js";

export const bedrock = defineVendor({
  ...bedrockTraits,
  call(request, { options, key, streaming }: CallTerms<KeyedVendorOptions>) {
    const model = encodeURIComponent(request.settings?.model ?? options.model);
    return {
      path: `/model/${model}/${streaming ? "converse-stream" : "converse"}`,
      headers: {
        authorization: `Bearer ${key}`,
        ...(streaming ? { accept: bedrockStream.mediaType } : {}),
      },
      body: encodeBedrock(request),
    };
  },
  format: bedrockStream,
  recognises: ({ inferenceConfig, toolConfig, messages }) =>
    isPlainObject(inferenceConfig) || isPlainObject(toolConfig) || toList(messages).some(hasUntypedBlock),
  messagesField: "messages",
  parse(body, path = "") {
    const [, model = "", verb] = BEDROCK_TURN.exec(path) ?? [];
    return parseBedrock(body, decodeModel(model), verb === "converse-stream");
  },
  findHeldState,
  write: writeBedrock,
  events: bedrockEvents,
  fail: failBedrock,
  faults: bedrockFaults,
  streamError: bedrockStreamError,
});

/** True for a message with a block that is named by its only key, where other wires have a `type`. */
function hasUntypedBlock(message: unknown): boolean {
  if (!isPlainObject(message)) return false;
  const names = ["text", "image", "document", "toolUse", "toolResult"];
  return toList(message["content"]).some(
    (block) => isPlainObject(block) && block["type"] === undefined && names.some((name) => block[name] !== undefined),
  );
}

function decodeModel(model: string): string {
  try {
    return decodeURIComponent(model);
  } catch {
    return model;
  }
}
