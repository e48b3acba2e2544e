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
import { bedrockEvents, writeBedrock } from "./write.js";

/** A path, perhaps with its query. The model may be an ARN, whose slashes are percent-encoded. */
const TURN = /\/model\/([^/?]+)\/(converse|converse-stream)(?=\?|$)/;

/** The regions whose endpoint is known without a setting. */
const REGIONS = [
  ...["us-east-1", "us-east-2", "us-west-1", "us-west-2", "ca-central-1", "ca-west-1", "sa-east-1", "mx-central-1"],
  ...["eu-central-1", "eu-central-2", "eu-west-1", "eu-west-2", "eu-west-3", "eu-north-1", "eu-south-1", "eu-south-2"],
  ...["ap-northeast-1", "ap-northeast-2", "ap-northeast-3", "ap-south-1", "ap-south-2", "ap-southeast-1"],
  ...["ap-southeast-2", "ap-southeast-3", "ap-southeast-4", "ap-southeast-5", "ap-southeast-7", "ap-east-2"],
  ...["me-central-1", "me-south-1", "il-central-1", "af-south-1", "us-gov-east-1", "us-gov-west-1"],
];

export const bedrock = defineVendor({
  name: "bedrock",
  baseURL: endpointOf("us-east-1"),
  path: "/converse",
  keyVariable: "AWS_BEARER_TOKEN_BEDROCK",
  client: { baseURLs: REGIONS.map(endpointOf), variable: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", path: "" },
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
  isTurn: ({ method, path }) => method === "POST" && TURN.test(path),
  recognises: ({ inferenceConfig, toolConfig, messages }) =>
    isPlainObject(inferenceConfig) || isPlainObject(toolConfig) || toList(messages).some(hasUntypedBlock),
  messagesField: "messages",
  parse(body, path = "") {
    const [, model = "", verb] = TURN.exec(path) ?? [];
    return parseBedrock(body, decodeModel(model), verb === "converse-stream");
  },
  findHeldState,
  write: writeBedrock,
  events: bedrockEvents,
  fail: failBedrock,
  faults: bedrockFaults,
  streamError: bedrockStreamError,
});

function endpointOf(region: string): string {
  return `https://bedrock-runtime.${region}.amazonaws.com`;
}

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
