import { describe, expect, it } from "vitest";
import { callsIn, readRecorded, readStream } from "../../support/quirks.js";
import { hasShared } from "../../support/shared.js";
import { agentErrorOf } from "../../support/wire.js";

// What vendors do apart from their documentation, streamed and whole. Where a recording shows it, its id is given.

describe("a streamed chat of Ollama's", () => {
  const line = (message: object, rest: object = {}) =>
    `${JSON.stringify({ model: "m", message: { role: "assistant", content: "", ...message }, done: false, ...rest })}\n`;
  const end = line({}, { done: true, done_reason: "stop", prompt_eval_count: 3, eval_count: 5 });
  const call = (name: string) => ({ tool_calls: [{ function: { name, arguments: { city: "Oslo" } } }] });

  it("calls in lines that are not the last, each with an id of its own", () => {
    expect(callsIn(readStream("ollama", line(call("weather")) + line(call("time")) + end))).toEqual([
      ["call_0", "weather", { city: "Oslo" }],
      ["call_1", "time", { city: "Oslo" }],
    ]);
  });

  it("missing counts give no usage, or zero", () => {
    const hi = line({ content: "hi" });
    expect(readStream("ollama", hi + line({}, { done: true })).usage).toBeUndefined();
    expect(readStream("ollama", hi + line({}, { done: true, eval_count: 5 })).usage).toEqual({
      inputTokens: 0,
      outputTokens: 5,
    });
  });

  it("thinking, CRLF and empty lines", () => {
    const text = (line({ thinking: "hm" }) + line({ content: "hi" }) + end).replaceAll("\n", "\r\n\r\n");
    expect(readStream("ollama", text)).toMatchObject({ finalAnswer: "hi", message: { reasoning: [{ text: "hm" }] } });
  });

  it("without done it was cut, and may be tried again", async () => {
    for (const text of [line({ content: "hi" }), "", `${line({ content: "hi" })}{"mess`]) {
      const error = await agentErrorOf(() => readStream("ollama", text));
      expect(error).toMatchObject({ code: "provider-response", retryable: true });
    }
  });

  it.skipIf(!hasShared)("so it was recorded", () => {
    for (const id of ["12a85ba1109df591", "997f62824aed331d"]) expect(callsIn(readRecorded(id))).toHaveLength(1);
  });
});
