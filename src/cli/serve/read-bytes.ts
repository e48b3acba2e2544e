// Reads the body of a request to one of our servers, or says why it was refused.

import type { Refusal } from "../../harness/index.js";
import type { BodyRead, HttpRequest } from "../../host/index.js";

export async function readBytes(request: HttpRequest): Promise<{ bytes: Uint8Array } | { refusal: Refusal }> {
  const read = await request.readBody();
  if (read.kind === "read") return { bytes: read.bytes };
  return { refusal: refusalOf(read) };
}

function refusalOf(read: Exclude<BodyRead, { kind: "read" }>): Refusal {
  switch (read.kind) {
    case "too-large": {
      const message = `the request has more bytes than the limit of ${read.maxBytes}`;
      return { status: 413, code: "body-too-large", message };
    }
    case "busy":
      return { status: 503, code: "too-busy", message: "too many large requests at once; send this one again" };
    case "broken":
      return { status: 400, code: "body-broken", message: "the request broke off" };
  }
}
