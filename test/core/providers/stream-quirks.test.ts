import { describe, expect, it } from "vitest";
import { openaiProvider } from "../../../src/core/vendors/providers.js";
import { findRecorded, sse } from "../../support/exchanges.js";
import { chunk, readRecorded, readStream, readWhole } from "../../support/quirks.js";
import { hasShared } from "../../support/shared.js";
import { agentErrorOf } from "../../support/wire.js";

// What vendors do apart from their documentation, streamed and whole. Where a recording shows it, its id is given.

describe("the framing of a stream", () => {
  const hi = [chunk({ content: "hi" }), chunk({}, "stop")].map((data) => `data: ${JSON.stringify(data)}`);

  it.each([
    ["comments between events", `: OPENROUTER PROCESSING\n\n${hi.join("\n\n: ping\n\n")}\n\n`],
    ["leading white space", `\n\n  \n\n${hi.join("\n\n")}\n\n`],
    ["CRLF", `${hi.join("\r\n\r\n")}\r\n\r\n`],
    ["CR alone", `${hi.join("\r\r")}\r\r`],
    ["no space after data:", `${hi.map((line) => line.replace(": ", ":")).join("\n\n")}\n\n`],
    ["ids and retry times", `retry: 10\nid: 1\n${hi.join("\n\nid: 2\n")}\n\n`],
    ["an event in two data lines", `${hi.join("\n\n").replace('"choices":', '\ndata: "choices":')}\n\n`],
    ["empty data", `data:\n\n${hi.join("\n\ndata: \n\n")}\n\n`],
    ["no blank line at its end", hi.join("\n\n")],
    ["a byte order mark", `\ufeff${hi.join("\n\n")}\n\n`],
  ])("%s", (_name, text) => {
    expect(readStream("openai", text)).toMatchObject({ finalAnswer: "hi" });
  });

  it.skipIf(!hasShared)("so it was recorded", () => {
    expect(findRecorded("8e7338308823fe67").response.body).toMatch(/^: OPENROUTER PROCESSING\n\n: /);
    expect(findRecorded("b0d8c040171fb684").response.body).toMatch(/^\n\n/);
    expect(readRecorded("b0d8c040171fb684").finalAnswer).toBe("pong");
  });
});

describe("an error under status 200", () => {
  const limited = { error: { type: "rate_limit_error", message: "slow down" } };

  it.each([
    ["a plain JSON body where a stream was asked for", JSON.stringify(limited)],
    ["the same, indented", `\n${JSON.stringify(limited, null, 2)}\n`],
    ["an event named error", `event: error\ndata: ${JSON.stringify(limited)}\n\n`],
    ["an event after words", sse(chunk({ content: "It " }), limited)],
  ])("%s", async (_name, text) => {
    for (const wire of ["openai", "anthropic"] as const) {
      const error = await agentErrorOf(() =>
        readStream(wire, wire === "openai" ? text : text.replace(/^data: \{"choices.*\n\n/, "")),
      );
      expect(error).toMatchObject({ code: "provider-response", kind: "rate-limit", retryable: true });
      expect(error.message).toBe("the vendor answered with an error: rate_limit_error: slow down");
    }
  });

  it.each([1, 7, 60, 1e9])(
    "after words is thrown once they were heard, with bytes that come %d at a time",
    async (size) => {
      const bytes = new TextEncoder().encode(sse(chunk({ content: "It " }), chunk({ content: "is" }), limited));
      const fetch = async () =>
        new Response(
          new ReadableStream({
            start(controller) {
              for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
            },
          }),
          { headers: { "content-type": "text/event-stream" } },
        );
      const provider = openaiProvider({ model: "m", apiKey: "k", fetch });
      let heard = "";
      const error = await agentErrorOf(async () => {
        for await (const event of provider.stream?.({ messages: [{ role: "user", content: "go" }] }) ?? []) {
          heard += event.type === "text-delta" ? event.text : "";
        }
      });
      expect([heard, error.kind, error.responseStarted]).toEqual(["It is", "rate-limit", true]);
    },
  );

  it("code 502 in a chunk, and in its choice", async () => {
    const error = { code: 502, message: "Upstream failed" };
    for (const bad of [{ error }, { choices: [{ index: 0, error }] }]) {
      expect(await agentErrorOf(() => readStream("openai", sse(bad)))).toMatchObject({ retryable: true });
      expect(await agentErrorOf(() => readWhole("openai", bad))).toMatchObject({ retryable: true });
    }
  });

  it("an error event whose data is words", async () => {
    const error = await agentErrorOf(() => readStream("openai", "event: error\ndata: Too many requests\n\n"));
    expect(error.message).toBe("the vendor answered with an error: Too many requests");
  });

  it("vLLM's error object without error around it", async () => {
    const bad = { object: "error", message: "no such model", type: "NotFoundError", code: 404 };
    expect((await agentErrorOf(() => readStream("openai", sse(bad)))).message).toContain("no such model");
  });

  it("a line of Ollama's", async () => {
    const text = '{"message":{"content":"hi"},"done":false}\n{"error":"out of memory"}\n';
    expect((await agentErrorOf(() => readStream("ollama", text))).message).toContain("out of memory");
  });

  it.each([["<html>Login</html>"], ["[1,2"], ["{"]])("%s is neither a stream nor JSON", async (text) => {
    const error = await agentErrorOf(() => readStream("openai", text));
    expect(error).toMatchObject({ code: "provider-response", retryable: false });
    expect(error.message).toBe(`the vendor streamed neither events nor JSON: ${text}`);
  });

  it("garbage in the middle is said", async () => {
    const error = await agentErrorOf(() => readStream("openai", sse("{oops", chunk({}, "stop"))));
    expect(error.message).toBe("the vendor streamed something other than JSON: {oops");
  });

  it.skipIf(!hasShared)("so it was recorded", async () => {
    const bad = await agentErrorOf(() => readRecorded("45a187f404506e9a")); // event: error, Groq
    expect(bad.message).toContain("Tool call validation failed");
    expect(await agentErrorOf(() => readRecorded("8e7338308823fe67"))).toMatchObject({ retryable: false }); // in a chunk
    expect(await agentErrorOf(() => readRecorded("399c7b7e965c818c"))).toMatchObject({ retryable: true }); // code 502
  });
});
