// Reading the body of a request to one of our servers, or saying in the words of a wire why it was not read.

import type { Refusal } from "../../harness/index.js";
import type { HttpRequest } from "../../host/index.js";

/** The bytes of a body, or the refusal of it. */
export async function readBytes(request: HttpRequest): Promise<{ bytes: Uint8Array } | { refusal: Refusal }> {
  const read = await request.readBody();
  switch (read.kind) {
    case "read":
      return { bytes: read.bytes };
    case "too-large":
      return {
        refusal: {
          status: 413,
          code: "body-too-large",
          message: `the request has more than ${read.maxBytes} bytes, the limit of this server`,
        },
      };
    case "busy":
      return {
        refusal: { status: 503, code: "too-busy", message: "too many large requests at once; send this one again" },
      };
    case "broken":
      return { refusal: { status: 400, code: "body-broken", message: "the request broke off" } };
  }
}
