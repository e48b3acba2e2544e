// Refusals in the shape of Bedrock: ours, and those that its references and recorded answers show.

import { defined } from "../../defined.js";
import type { JsonObject } from "../../canon/value.js";
import { toFrame } from "../../http/event-frames.js";
import { jsonFault, type HttpFault, type WireFailure } from "../../wire/failure.js";
import type { Vendor } from "../vendor.js";

/** Clients of AWS read the name of an error from `__type` if the header `x-amzn-errortype` is missing. */
export function failBedrock({ status, message, miss }: WireFailure): JsonObject {
  const type = TYPES[status] ?? (status >= 500 ? "InternalServerException" : "ValidationException");
  return { __type: type, message, ...defined({ miss }) };
}

const TYPES: Readonly<Record<number, string>> = {
  403: "AccessDeniedException",
  404: "ResourceNotFoundException",
  429: "ThrottlingException",
  503: "ServiceUnavailableException",
};

function aws(status: number, type: string, message: string, namespace = "com.amazon.bedrock"): HttpFault {
  const header = `${type}:http://internal.amazon.com/coral/${namespace}/`;
  return jsonFault(status, { message }, { "x-amzn-errortype": header });
}

export const bedrockFaults: Vendor["faults"] = {
  "rate-limit": aws(429, "ThrottlingException", "Too many requests, please wait before trying again."),
  quota: aws(400, "ServiceQuotaExceededException", "Your request exceeds the service quota for your account."),
  "server-error": aws(
    500,
    "InternalServerException",
    "The system encountered an unexpected error during processing. Try your request again.",
  ),
  overloaded: aws(503, "ServiceUnavailableException", "Bedrock is unable to process your request."),
  "context-length": aws(
    400,
    "ValidationException",
    "The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.",
  ),
  auth: aws(
    403,
    "UnrecognizedClientException",
    "The security token included in the request is invalid.",
    "com.amazon.coral.service",
  ),
  "not-found": aws(
    404,
    "ResourceNotFoundException",
    "This model version has reached the end of its life. Please refer to the AWS documentation for more details.",
  ),
};

export const bedrockStreamError = toFrame(
  {
    ":exception-type": "serviceUnavailableException",
    ":content-type": "application/json",
    ":message-type": "exception",
  },
  JSON.stringify({ message: "Bedrock is unable to process your request." }),
);
