import { describe, expect, it } from "vitest";
import type { LlmProviderAdapter } from "../../../src/core/model/provider.js";
import { calls, runAgent, says, startAgent, TOOLS, type Given } from "../../support/process/agent.js";

const LOOK = { name: "look", description: "Looks.", inputSchema: { type: "object" }, isReadOnly: true };
const given = (...steps: NonNullable<Given["steps"]>): Given => ({ steps, offered: [LOOK], side: TOOLS });
const result = (payload: object): object => ({ __port: "tool_resp", payload });
const MESSAGE = { __port: "data_in", payload: 1 };

/** What the model reads of the results is the answer. */
function reading(...steps: readonly ReturnType<typeof calls>[]): LlmProviderAdapter {
  let turns = 0;
  return {
    turn: ({ messages }) => {
      const step = steps[turns++];
      const read = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
      return Promise.resolve(step ?? says(JSON.stringify(read)));
    },
  };
}

const idOf = (line: string | undefined): string => (JSON.parse(line ?? "") as { payload: { id: string } }).payload.id;

describe("the tools of an agent over its streams", () => {
  it("have an id of their own for each call, although the model repeats its ids", async () => {
    const provider = reading(calls("look", { at: 1 }), calls("look", { at: 2 }));
    const agent = startAgent({ provider, offered: [LOOK], side: TOOLS });
    agent.send(MESSAGE);
    await agent.until(1);
    const first = idOf(agent.lines[0]);
    agent.send(result({ id: first, content: "one" }));
    await agent.until(2);
    const second = idOf(agent.lines[1]);
    expect(second).not.toBe(first);
    // A late answer to the first call is no answer to the second.
    agent.send(result({ id: first, content: "late" }), result({ id: second, content: "two" }));
    await agent.until(3);
    expect(JSON.parse(agent.lines[2] ?? "")).toEqual({ __port: "data_out", payload: ["one", "two"] });
    expect(agent.errors).toMatchObject([{ code: "input-invalid" }]);
    agent.input.end();
    expect(await agent.ended).toMatchObject({ exitCode: 0, outputs: 1 });
    expect(agent.lines.slice(3)).toEqual(['{"__port":"data_out","__eof":true}', '{"__port":"tool_req","__eof":true}']);
  });

  it.each([
    [{ content: "no", is_error: true }, "no"],
    [{ content: { why: 1 }, is_error: true }, '{"why":1}'],
    [{ content: [1] }, "[1]"],
    [{ content: null }, "null"],
    [{}, "the result of the tool has no content"],
  ])("give the model what the result says: %j", async (fields, text) => {
    const agent = startAgent({ provider: reading(calls("look", {})), offered: [LOOK], side: TOOLS });
    agent.send(MESSAGE);
    await agent.until(1);
    agent.send(result({ id: idOf(agent.lines[0]), ...fields }));
    agent.input.end();
    await agent.ended;
    expect(JSON.parse(agent.lines[1] ?? "")).toMatchObject({ payload: [text] });
  });

  it("fail when the one who runs them has ended, in the middle of a call and behind it", async () => {
    const provider = reading(calls("look", {}), calls("look", {}));
    const agent = startAgent({ provider, offered: [LOOK], side: TOOLS });
    agent.send(MESSAGE);
    await agent.until(1);
    agent.input.end();
    await agent.ended;
    const gone = "the process that runs the tools has closed the stream of results";
    expect(JSON.parse(agent.lines[1] ?? "")).toMatchObject({ payload: [gone, gone] });
  });

  it("drop what no call waits for, and read on", async () => {
    const odd = [result({ id: 5, content: 1 }), result([1]), { __port: "tool_resp", __marker: "x" }];
    const { errors, lines } = await runAgent(given(says("1")), ...odd, MESSAGE);
    expect(lines[0]).toBe('{"__port":"data_out","payload":1}');
    expect(errors).toMatchObject([{ code: "input-invalid" }, { code: "input-invalid" }]);
  });

  it("PLM-46 are not read unless the spec has some", async () => {
    const { errors, lines } = await runAgent({ steps: [says("1")], side: ["telemetry"] }, result({ id: "a" }), MESSAGE);
    expect(lines.filter((line) => line.includes("tool_req"))).toEqual([]);
    expect(errors).toMatchObject([{ log: "warn", message: expect.stringContaining("tool_resp") as string }]);
  });
});
