import { describe, expect, it } from "vitest";
import type { LlmStreamEvent } from "../../../src/core/model/provider.js";
import { readStream } from "../../../src/core/model/stream.js";
import { say } from "../../support/script.js";
import { agentErrorOf } from "../../support/wire.js";

async function* stream(events: readonly LlmStreamEvent[], onEnd: () => void = () => undefined) {
  try {
    yield* events;
  } finally {
    onEnd();
  }
}

describe("readStream", () => {
  it("hands out the deltas, resolves to the response and ends the stream there", async () => {
    const heard: unknown[] = [];
    let ends = 0;
    const delta = { type: "text-delta", text: "hi" } as const;
    const events = [delta, { type: "response", response: say("hi") }, delta] as const;
    expect(
      await readStream(
        stream(events, () => ends++),
        "m",
        (event) => heard.push(event),
      ),
    ).toEqual(say("hi"));
    expect(heard).toEqual([delta]);
    expect(ends).toBe(1);
  });

  it("refuses a stream that ends without a response", async () => {
    const error = await agentErrorOf(() => readStream(stream([]), "m"));
    expect(error).toMatchObject({ code: "provider-response", retryable: false });
    expect(error.message).toBe("the stream of provider m ended without a response");
  });
});
