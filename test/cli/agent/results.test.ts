import { describe, expect, it } from "vitest";
import { resultsInOrder, sortResults } from "../../../src/cli/agent/results.js";
import type { HttpRequest } from "../../../src/host/index.js";

const use = (id: string) => ({ type: "tool_use", id, name: "Agent", input: {} });
const result = (id: string, fields: object = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content: `of ${id}`,
  ...fields,
});
const text = { type: "text", text: "Go on." };
const marked = { cache_control: { type: "ephemeral" } };

function bodyOf(...results: object[]): string {
  const messages = [
    { role: "user", content: "go" },
    { role: "assistant", content: [text, use("a"), use("b"), use("c")] },
    { role: "user", content: results },
  ];
  return JSON.stringify({ model: "m", messages });
}

describe("the results of parallel calls", () => {
  it("come in the order of the calls, with texts and the mark of the cache where they were", () => {
    const sorted = sortResults(bodyOf(result("c"), text, result("a"), result("b", marked)));
    expect(sorted).toBe(bodyOf(result("a"), text, result("b"), result("c", marked)));
  });

  it.each([
    ["are sorted already", bodyOf(result("a"), result("b"), text)],
    ["belong to no call", bodyOf(result("y"), result("x"))],
    ["are of another wire", JSON.stringify({ input: [{ type: "tool_result" }, { type: "tool_result" }] })],
    ["are not JSON", '"tool_result" "tool_result"'],
    ["hold nothing", JSON.stringify({ messages: [null, { role: "user", content: [null, 1] }] })],
  ])("that %s stay as they are", (_, body) => {
    expect(sortResults(body)).toBeUndefined();
  });

  it("are sorted for the handler, and a body that was not read is passed on", async () => {
    const seen: unknown[] = [];
    const handler = resultsInOrder(async (request) => {
      const body = await request.readBody();
      seen.push(body.kind === "read" ? new TextDecoder().decode(body.bytes) : body.kind);
      return { status: 200, headers: {}, body: "" };
    });
    const request = (body: unknown) => ({ readBody: () => Promise.resolve(body) }) as HttpRequest;
    const bytes = new TextEncoder().encode(bodyOf(result("b"), result("a")));
    await handler(request({ kind: "read", bytes }));
    await handler(request({ kind: "cut" }));
    expect(seen).toEqual([bodyOf(result("a"), result("b")), "cut"]);
  });
});
