import { describe, expect, it } from "vitest";
import type { LlmProviderAdapter, LlmTurnRequest } from "../../../../src/core/model/provider.js";
import { scriptedProvider } from "../../../../src/core/providers/scripted.js";
import { defineTool } from "../../../../src/core/tools/tool.js";
import { calls, CONTROL, control, runAgent, says, startAgent } from "../../../support/process/agent.js";

/** A provider that keeps what it was asked. */
function watched(...steps: Parameters<typeof scriptedProvider>[0]): {
  provider: LlmProviderAdapter;
  asked: LlmTurnRequest[];
} {
  const script = scriptedProvider(steps);
  const asked: LlmTurnRequest[] = [];
  const turn = (request: LlmTurnRequest) => {
    asked.push({ ...request, messages: [...request.messages] });
    return script.turn(request);
  };
  return { provider: { name: "watched", turn }, asked };
}

const GREETING = { type: "object", required: ["greeting"], properties: { greeting: { type: "string" } } };
const parsed = (lines: readonly string[]): unknown[] => lines.map((line) => JSON.parse(line) as unknown);

describe("an agent process", () => {
  it("PLM-113 PLM-115 answers each line with one line, and ends with its input", async () => {
    const { lines, errors, end } = await runAgent({ steps: [says('{"a":1}'), says('"two"')] }, "hello", '{ "b": 2 }');
    expect(errors).toEqual([{ error: "this is not JSON: hello", code: "not-json", hint: "Send one JSON value." }]);
    expect(lines).toEqual(['{"a":1}']);
    expect(end).toMatchObject({ reason: "eof", exitCode: 0, inputs: 1, outputs: 1 });
  });

  it("PLM-104 PLM-105 PLM-106 PLM-107 sends the prompt, the documents and the output as system messages of their own", async () => {
    const { provider, asked } = watched(says('{"greeting":"hi"}'));
    const documents = [{ id: 'a"b.md', text: "Be kind." }];
    await runAgent({ provider, documents, spec: { prompt: "You greet.", output: GREETING } }, '"hello"');
    const system =
      asked[0]?.messages.filter(({ role }) => role === "system").map(({ content }) => content as string) ?? [];
    expect(system.slice(0, 2)).toEqual(["You greet.", '<doc id="a&quot;b.md">\nBe kind.\n</doc>']);
    expect(system[2]).toContain(JSON.stringify(GREETING));
    expect(asked[0]?.messages.at(-1)).toEqual({ role: "user", content: '"hello"' });
    expect(asked[0]?.settings).toEqual({ model: "test-1", maxTokens: 8192 });
  });

  it("PLM-116 PLM-118 keeps the conversation from one message to the next, unless it is amnesiac", async () => {
    for (const [amnesiac, length] of [
      [false, 4],
      [true, 2],
    ] as const) {
      const { provider, asked } = watched(says("1"), says("2"));
      await runAgent({ provider, spec: { amnesiac } }, "1", "2");
      expect(asked[1]?.messages).toHaveLength(length);
      expect(asked[1]?.settings?.maxTokens).toBe(8192);
    }
  });

  it("PLM-115 asks again for an answer that does not match, and keeps neither of the two", async () => {
    const { provider, asked } = watched(
      says("hi"),
      says('{"greeting":1}'),
      says('{"greeting":"hi"}'),
      says('{"greeting":"ho"}'),
    );
    const { lines } = await runAgent({ provider, spec: { output: GREETING } }, '"hello"', '"again"');
    expect(lines).toEqual(['{"greeting":"hi"}', '{"greeting":"ho"}']);
    expect(asked[1]?.messages.at(-1)?.content).toMatch(/not accepted: the answer is not one JSON value/);
    expect(asked[3]?.messages.slice(1).map(({ content }) => content)).toEqual([
      '"hello"',
      '{"greeting":"hi"}',
      '"again"',
    ]);
  });

  it("ends with an error if no answer matches, or goes on with the next message if the spec says so", async () => {
    const bad = Array.from({ length: 4 }, () => says("no"));
    const stopped = await runAgent({ steps: bad }, "1", "2");
    expect(stopped.end).toMatchObject({ reason: "failed", exitCode: 1, outputs: 0 });
    expect(stopped.errors.map(({ code }) => code)).toContain("output-invalid");
    const skipped = await runAgent({ steps: [...bad, says("2")], spec: { on_error: "skip" } }, "1", "2");
    expect(skipped.lines).toEqual(["2"]);
    expect(skipped.end).toMatchObject({ reason: "eof", exitCode: 1, outputs: 1 });
  });

  it("skips a message that is not of its type, without a turn", async () => {
    const { lines, errors, end } = await runAgent(
      { steps: [says("1")], spec: { input: { type: "number" } } },
      '"x"',
      "1",
    );
    expect(lines).toEqual(["1"]);
    expect(errors).toMatchObject([{ code: "input-invalid" }]);
    expect(end.exitCode).toBe(0);
  });

  it("says that a refused answer and a cap are what they are", async () => {
    const refused = { ...says(""), stopReason: "contentFilter" as const };
    expect((await runAgent({ steps: [refused] }, "1")).errors).toMatchObject([{ code: "output-refused" }]);
    const spec = { max_turns: 1, max_retries: 5 };
    expect((await runAgent({ steps: [says("no"), says("1")], spec }, "1")).errors).toMatchObject([
      { code: "budget-exhausted" },
    ]);
  });

  it("PLM-51 PLM-56 passes a marker on without a turn, behind what came before it", async () => {
    const { lines, end } = await runAgent({ steps: [says("1"), says("2")] }, "1", "\u0001heat", "2");
    expect(lines).toEqual(["1", "\u0001heat", "2"]);
    expect(end.inputs).toBe(2);
  });

  it("PLM-44 answers everything that is queued when its input ends, also a line that is torn is said", async () => {
    const agent = startAgent({ steps: Array.from({ length: 40 }, (_, at) => says(String(at))) });
    for (let at = 0; at < 40; at++) agent.send(String(at));
    agent.input.end("12");
    expect(await agent.ended).toMatchObject({ outputs: 40, reason: "eof" });
    expect(agent.lines).toEqual(Array.from({ length: 40 }, (_, at) => String(at)));
    expect(agent.errors).toMatchObject([{ code: "output-cut" }]);
  });

  it("ends after max_messages, and counts what it did not begin", async () => {
    const { end, lines } = await runAgent({ steps: [says("1")], spec: { max_messages: 1 } }, "1", "2", "3");
    expect(end).toMatchObject({ reason: "max_messages", dropped: 2, exitCode: 0 });
    expect(lines).toEqual(["1"]);
  });

  it("PLM-153 passes the provenance of a message on, with itself behind it", async () => {
    const trace = { id: "input:7", path: [{ agent: "composer", seq: 3 }], hlc: "x" };
    const { lines } = await runAgent(
      { steps: [says("1")], side: [...CONTROL] },
      { __port: "data_in", payload: 1, trace },
    );
    expect(parsed(lines)[0]).toMatchObject({
      __port: "data_out",
      payload: 1,
      trace: {
        id: "input:7",
        path: [
          { agent: "composer", seq: 3 },
          { agent: "poet", seq: 1 },
        ],
      },
    });
  });

  it("ends at once when it is aborted, and when its reader is gone", async () => {
    const aborts = new AbortController();
    const never: LlmProviderAdapter = { turn: () => new Promise(() => undefined) };
    const agent = startAgent({ provider: never, signal: aborts.signal });
    agent.send("1");
    setImmediate(() => aborts.abort(new Error("enough")));
    expect(await agent.ended).toMatchObject({ reason: "aborted", exitCode: 1 });
  });
});

describe("control", () => {
  const memory = {
    kind: "memory",
    messages: [
      { role: "user", content: "1" },
      { role: "assistant", content: '"a"' },
    ],
    pinned: [],
  };
  const reply = (payload: unknown) => ({ __port: "ctrl_out", payload });

  it("PLM-83 PLM-84 PLM-93 PLM-94 PLM-98 PLM-99 PLM-142 PLM-143 pauses, shows and replaces the memory, and resumes", async () => {
    const { provider, asked } = watched(says('"a"'), says('"b"'), says('"c"'));
    const agent = startAgent({ provider, side: [...CONTROL] });
    agent.send("1", "2");
    await agent.until(2);
    agent.send(control({ pause: true }));
    await agent.until(3);
    agent.send("3", control({ get_memory: true }));
    await agent.until(4);
    const messages = [
      { role: "user", content: "9" },
      { role: "assistant", content: '"z"' },
    ];
    agent.send(control({ set_memory: messages }), control({ resume: true }));
    await agent.until(7);
    agent.input.end();
    await agent.ended;
    const [, , pause, dump, set, resume, third] = parsed(agent.lines) as { payload: Record<string, unknown> }[];
    expect(pause).toEqual(reply({ kind: "pause_ack" }));
    expect((dump?.payload["messages"] as unknown[]).length).toBe(4);
    expect(set).toEqual(reply({ kind: "memory_set", old_messages: 4, new_messages: 2 }));
    expect(resume).toEqual(reply({ kind: "resume_ack" }));
    expect(third?.payload).toBe("c");
    expect(asked[2]?.messages.slice(1).map(({ content }) => content)).toEqual(["9", '"z"', "3"]);
  });

  it("PLM-85 PLM-90 PLM-100 shows the conversation without the system messages", async () => {
    const agent = startAgent({ steps: [says('"a"')], side: [...CONTROL] });
    agent.send("1");
    await agent.until(1);
    agent.send(control({ get_memory: true }));
    await agent.until(2);
    agent.input.end();
    await agent.ended;
    expect(parsed(agent.lines)[1]).toEqual(reply(memory));
  });

  it("PLM-80 PLM-81 PLM-88 PLM-96 PLM-148 changes model and temperature for the next turn, also within a message", async () => {
    const asked: unknown[] = [];
    const script = scriptedProvider([calls("look", {}), says("1"), says("2")]);
    let agent: ReturnType<typeof startAgent> | undefined;
    const provider: LlmProviderAdapter = {
      async turn(request) {
        asked.push(request.settings);
        if (asked.length === 1) {
          agent?.send(control({ set_model: "other", set_temp: 0.5 }));
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        return script.turn(request);
      },
    };
    const look = defineTool({ name: "look", description: "Looks.", schema: { type: "object" }, invoke: () => "seen" });
    agent = startAgent({ provider, tools: [look], side: [...CONTROL] });
    agent.send("1");
    await agent.until(1);
    agent.send(control({ set_model: null, set_temp: null }), "2");
    agent.input.end();
    await agent.ended;
    expect(asked).toEqual([
      { model: "test-1", maxTokens: 8192 },
      { model: "other", temperature: 0.5, maxTokens: 8192 },
      { model: "test-1", maxTokens: 8192 },
    ]);
  });

  it("PLM-82 PLM-97 PLM-158 stops after the message in progress and its output", async () => {
    let agent: ReturnType<typeof startAgent> | undefined;
    const script = scriptedProvider([says("1")]);
    const provider: LlmProviderAdapter = {
      async turn(request) {
        agent?.send("2", control({ stop: true }));
        await new Promise((resolve) => setTimeout(resolve, 20));
        return script.turn(request);
      },
    };
    agent = startAgent({ provider, side: [...CONTROL] });
    agent.send("1");
    const end = await agent.ended;
    expect(end).toMatchObject({ reason: "stop", exitCode: 0, outputs: 1, dropped: 1 });
    expect(agent.errors).toMatchObject([{ message: "the agent ended before it answered 1 message that it had read" }]);
    expect(parsed(agent.lines)).toEqual([
      { __port: "data_out", payload: 1 },
      { __port: "data_out", __eof: true },
      { __port: "ctrl_out", __eof: true },
    ]);
  });

  it("PLM-41 PLM-42 PLM-43 ends the output first, then waits for the end of control", async () => {
    const agent = startAgent({ steps: [says("1")], side: [...CONTROL, "telemetry"] });
    agent.send("1", { __port: "data_in", __eof: true });
    await agent.until(4);
    agent.send(control({ get_memory: true }));
    await agent.until(5);
    agent.send({ __port: "ctrl_in", __eof: true });
    await agent.ended;
    const names = (parsed(agent.lines) as { __port: string; __eof?: true; payload?: { kind?: string } }[])
      .filter(({ __port, __eof, payload }) => __eof === true || payload?.kind === "memory" || __port === "data_out")
      .map(({ __port, __eof }) => `${__port}${__eof === true ? " end" : ""}`);
    expect(names).toEqual(["data_out", "data_out end", "ctrl_out", "ctrl_out end", "telemetry end"]);
  });

  it("goes on with a warning if control ends while it is paused", async () => {
    const agent = startAgent({ steps: [says("1")], side: [...CONTROL] });
    agent.send(control({ pause: true }), "1");
    await agent.until(1);
    agent.input.end();
    expect(await agent.ended).toMatchObject({ outputs: 1, reason: "eof" });
    expect(agent.errors).toMatchObject([{ message: /goes on/ }]);
  });

  it("PLM-89 ignores fields that nobody knows, and warns of a field of a wrong type", async () => {
    const { errors, end } = await runAgent(
      { side: [...CONTROL] },
      control({ sing: true, set_temp: 3, set_model: 1 }),
      control({}),
    );
    expect(errors.map(({ message }) => message)).toEqual([
      "set_temp of a control message is 3 and must be a number from 0 to 2, or null",
      "set_model of a control message is 1 and must be 1 to 200 characters, or null",
    ]);
    expect(end.exitCode).toBe(0);
  });
});

describe("telemetry", () => {
  it("PLM-63 PLM-64 PLM-65 PLM-66 PLM-70 PLM-71 PLM-145 PLM-146 tells the configuration first, then usage and outputs", async () => {
    const usage = { inputTokens: 150, outputTokens: 42 };
    const steps = [
      { ...says("no"), usage },
      { ...says("1"), usage },
    ];
    const { lines } = await runAgent({ steps, side: ["telemetry"] }, "1");
    const told = (parsed(lines) as { __port: string; payload?: unknown }[])
      .filter(({ __port, payload }) => __port === "telemetry" && payload !== undefined)
      .map(({ payload }) => payload);
    const used = { kind: "usage", prompt_tokens: 150, completion_tokens: 42 };
    expect(told).toEqual([
      { kind: "config", model: "test-1", provider: "anthropic", max_tokens: 8192, tools: ["pin", "unpin"] },
      used,
      used,
      { kind: "output", content: 1 },
    ]);
  });

  it("PLM-73 is silent unless it is asked for", async () => {
    expect((await runAgent({ steps: [says("1")] }, "1")).lines).toEqual(["1"]);
  });
});

describe("the debug log", () => {
  it("PLM-06 PLM-16 PLM-17 PLM-18 PLM-19 PLM-20 PLM-21 PLM-22 has each message and each call of the provider", async () => {
    const usage = { inputTokens: 150, outputTokens: 42 };
    const steps = [
      { ...says("hi"), usage },
      { ...says('"hi"'), usage },
    ];
    const { errors } = await runAgent({ steps, debug: true }, '"hello"');
    expect(errors.every(({ log }) => log === "debug")).toBe(true);
    expect(errors.map(({ event, retry = false }) => [event, retry])).toEqual([
      ["message", false],
      ["api_request", false],
      ["message", true],
      ["api_response", false],
      ["message", true],
      ["api_request", false],
      ["message", false],
      ["api_response", false],
    ]);
    expect(errors[0]).toEqual({ log: "debug", event: "message", role: "user", content: '"hello"' });
    expect(errors[1]).toEqual({
      log: "debug",
      event: "api_request",
      model: "test-1",
      max_tokens: 8192,
      thinking_budget: null,
      message_count: 2,
    });
    expect(errors[3]).toEqual({
      log: "debug",
      event: "api_response",
      status: 200,
      content_blocks: 1,
      stop_reason: "end_turn",
      input_tokens: 150,
      output_tokens: 42,
    });
    expect((await runAgent({ steps: [says("1")] }, "1")).errors).toEqual([]);
  });
});
