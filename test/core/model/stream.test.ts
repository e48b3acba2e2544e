import { describe, expect, it } from "vitest";
import type { LlmStreamEvent } from "../../../src/core/model/provider.js";
import { answerAhead, readStream, tellAhead } from "../../../src/core/model/stream.js";
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
        (event) => void heard.push(event) as undefined,
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

describe("tellAhead", () => {
  const events = [
    { type: "text-delta", text: "h" },
    { type: "text-delta", text: "i" },
    { type: "response", response: say("hi") },
  ] as const;

  it("passes the events on as they are, and tells the answer by the first alone", async () => {
    const passed: LlmStreamEvent[] = [];
    for await (const event of tellAhead(events[2].response, events)) passed.push(event);
    expect(passed).toEqual(events);
    expect(passed.map((event) => answerAhead(event))).toEqual([say("hi"), undefined, say("hi")]);
  });

  it("ends what it reads when its reader leaves", async () => {
    let ends = 0;
    for await (const _ of tellAhead(
      say("hi"),
      stream(events, () => ends++),
    ))
      break;
    expect(ends).toBe(1);
  });
});
