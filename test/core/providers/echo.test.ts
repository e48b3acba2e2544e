import { expect, it } from "vitest";
import type { LlmMessage } from "../../../src/core/model/message.js";
import { echoProvider } from "../../../src/core/providers/echo.js";
import { agentErrorOf, hello } from "../../support/wire.js";

const echo = echoProvider();

it("PLK-21 replies with the last user prompt and reports no cost", async () => {
  const messages: LlmMessage[] = [
    { role: "user", content: "first" },
    { role: "assistant", content: "mine" },
    { role: "user", content: "second" },
    { role: "assistant", content: "", toolCalls: [{ id: "a", name: "t", arguments: {} }] },
    { role: "tool", toolCallId: "a", name: "t", content: "result" },
  ];
  expect(await echo.turn({ messages })).toStrictEqual({
    message: { role: "assistant", content: "received: second" },
    finalAnswer: "received: second",
    stopReason: "stop",
  });
});

it("repeats the text of a prompt in parts, and nothing where there is no prompt", async () => {
  const parts = [{ type: "text", text: "a" } as const, { type: "image", url: "https://example.com/x.png" } as const];
  expect((await echo.turn({ messages: [{ role: "user", content: parts }] })).finalAnswer).toBe("received: a");
  expect((await echo.turn({ messages: [] })).finalAnswer).toBe("received: ");
});

it("PLK-20 answers the same request the same way", async () => {
  expect(await echo.turn(hello)).toEqual(await echo.turn(hello));
});

it("refuses a turn whose signal has fired", async () => {
  const error = await agentErrorOf(() => echo.turn({ ...hello, signal: AbortSignal.abort() }));
  expect(error).toMatchObject({ code: "aborted", retryable: false });
});
