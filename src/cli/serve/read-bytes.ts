// Reads the body of a request to one of our servers.

import type { Refusal } from "../../harness/index.js";
import type { HttpRequest } from "../../host/index.js";

/** The bytes of a body, or its refusal. */
export async function readBytes(request: HttpRequest): Promise<{ bytes: Uint8Array } | { refusal: Refusal }> {
  const read = await request.readBody();
  switch (read.kind) {
    case "read":
      return { bytes: read.bytes };
    case "too-large":
      return refuse(413, "body-too-large", `the request exceeds the limit of this server, ${read.maxBytes} bytes`);
    case "busy":
      return refuse(503, "too-busy", "too many large requests at once; send this one again");
    case "broken":
      return refuse(400, "body-broken", "the request broke off");
  }
}

function refuse(status: number, code: string, message: string): { refusal: Refusal } {
  return { refusal: { status, code, message } };
}
