import { describe, expect, it } from "vitest";
import { ToolArgError, ToolPolicyError } from "../../../src/core/errors.js";
import { MAX_RESULT_CHARACTERS } from "../../../src/core/limits.js";
import type { LlmToolCall } from "../../../src/core/model/message.js";
import { systemPorts } from "../../../src/core/ports.js";
import { executeCall, prepareCall, settleCall, type ToolOutcome } from "../../../src/core/tools/call.js";
import { createToolSet } from "../../../src/core/tools/registry.js";
import { TOOL_UNAVAILABLE, type CustomTool, type ToolSurroundings } from "../../../src/core/tools/tool.js";
import { rejection } from "../../support/refusal.js";
import { deepObject, tool } from "../../support/script.js";

const call = (part: Partial<LlmToolCall> = {}): LlmToolCall => ({ id: "c1", name: "t", arguments: {}, ...part });

function context(signal = new AbortController().signal): ToolSurroundings {
  return { signal, agentId: "a", pluck: {} as ToolSurroundings["pluck"], memory: {} as ToolSurroundings["memory"] };
}

function run(custom: CustomTool, made = call(), ctx = context()): Promise<ToolOutcome> {
  return executeCall(prepareCall(made, createToolSet("a", { customTools: [custom] }, undefined)), {
    context: ctx,
    ports: systemPorts,
  });
}

function throwing(thrown: unknown): CustomTool {
  return tool("t", () => {
    throw thrown;
  });
}

describe("a tool call", () => {
  it("PLK-48 gives what invoke returns or resolves to", async () => {
    expect(await run(tool("t", () => ({ a: 1 })))).toEqual({ kind: "ok", content: '{"a":1}', cut: 0 });
    expect(await run(tool("t", async () => "later"))).toEqual({ kind: "ok", content: "later", cut: 0 });
  });

  it("PLK-46 says only that the tool is unavailable if the agent has no tool of that name", async () => {
    const outcome = await run(
      tool("t", () => 1),
      call({ name: "delete_everything" }),
    );
    expect(outcome).toEqual({ kind: "rejected", content: "tool unavailable" });
    expect(JSON.stringify(outcome)).not.toContain("delete_everything");
  });

  it.each(["__proto__", "constructor", "toString", "act", "T", "t ", ""])(
    "PLK-46 does not find a tool by %j",
    async (name) => {
      expect(
        await run(
          tool("t", () => 1),
          call({ name }),
        ),
      ).toMatchObject({ kind: "rejected" });
    },
  );

  it("PLK-46 REL-50 gives the same words for a missing tool, refused arguments and a masked error", async () => {
    const strict = tool("t", () => 1, { schema: { required: ["a"] } });
    const contents = await Promise.all([
      run(strict, call({ name: "x" })),
      run(strict),
      run(throwing(new ToolArgError("secret"))),
    ]);
    expect(contents.map((outcome) => outcome.kind !== "denied" && outcome.content)).toEqual(
      contents.map(() => TOOL_UNAVAILABLE),
    );
  });

  it("PLK-56 hands invoke arguments without the keys that reach prototypes", async () => {
    const made = call({
      arguments: JSON.parse(
        '{"a":1,"__proto__":{"b":2},"constructor":3,"x":{"prototype":4}}',
      ) as LlmToolCall["arguments"],
    });
    expect(
      await run(
        tool("t", (args) => args),
        made,
      ),
    ).toMatchObject({ content: '{"a":1,"x":{}}' });
  });

  it("hands invoke an object of its own", async () => {
    const made = call({ arguments: { list: [1] } });
    await run(
      tool("t", (args) => (args["list"] as number[]).push(2)),
      made,
    );
    expect(made.arguments).toEqual({ list: [1] });
  });

  it("PLK-57 refuses arguments nested deeper than 64 levels and never calls invoke", async () => {
    let calls = 0;
    const counting = tool("t", () => ++calls);
    expect(await run(counting, call({ arguments: deepObject(64) }))).toMatchObject({ kind: "ok" });
    expect(await run(counting, call({ arguments: deepObject(65) }))).toMatchObject({
      kind: "masked",
      content: "tool unavailable",
      field: "/a".repeat(64),
    });
    expect(calls).toBe(1);
  });

  it("refuses arguments that the model did not write as one JSON object", async () => {
    expect(
      await run(
        tool("t", () => 1),
        call({ malformedArguments: "{torn" }),
      ),
    ).toMatchObject({
      kind: "masked",
      content: TOOL_UNAVAILABLE,
      field: "",
    });
  });

  it("PLK-58 masks a ToolArgError from invoke and keeps what it said for the log", async () => {
    expect(await run(throwing(new ToolArgError("the key sk-1 is bad", { field: "/key" })))).toEqual({
      kind: "masked",
      content: "tool unavailable",
      message: "the key sk-1 is bad",
      field: "/key",
    });
  });

  it("PLK-58 masks a ToolArgError that invoke rejects with", async () => {
    const custom = tool("t", () => Promise.reject(new ToolArgError("later")));
    expect(await run(custom)).toEqual({ kind: "masked", content: "tool unavailable", message: "later" });
  });

  it("PLK-59 forwards the message of any other error word for word", async () => {
    const error = new TypeError("no such row: 7");
    expect(await run(throwing(error))).toEqual({
      kind: "failed",
      content: "no such row: 7",
      message: "no such row: 7",
      error,
    });
    expect(await run(tool("t", () => Promise.reject(new Error("late"))))).toMatchObject({ content: "late" });
  });

  it.each<[string, unknown, string]>([
    ["a string", "plain", "plain"],
    ["undefined", undefined, "undefined"],
    ["a symbol", Symbol("s"), "Symbol(s)"],
    ["an error whose message is no string", Object.assign(new Error("x"), { message: 7 }), "7"],
    ["an object that refuses to be a string", Object.create(null), "something that has no text was thrown"],
  ])("is an outcome, never an exception, when invoke throws %s", async (_name, thrown, content) => {
    expect(await run(throwing(thrown))).toEqual({ kind: "failed", content, message: content, error: thrown });
  });

  it("is an outcome, never an exception, when invoke throws a proxy that answers nothing", async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const content = "something that has no text was thrown";
    expect(await run(throwing(proxy))).toMatchObject({ kind: "failed", content });
  });

  it("REL-49 is denied when invoke throws or rejects with a ToolPolicyError, and has nothing for the model", async () => {
    const error = new ToolPolicyError("no refunds after 30 days", { hint: "Ask a person." });
    expect(await run(throwing(error))).toEqual({ kind: "denied", error });
    expect(await run(tool("t", () => Promise.reject(error)))).toEqual({ kind: "denied", error });
    expect(error).toMatchObject({ code: "tool-denied", retryable: false, hint: "Ask a person." });
  });

  it("is an outcome when the returned value cannot be serialised", async () => {
    const hostile = {
      get trap(): string {
        throw new Error("boom");
      },
    };
    expect(await run(tool("t", () => hostile))).toMatchObject({ kind: "failed", content: "boom", message: "boom" });
  });

  it("bounds what the model reads of an error, and keeps the whole for the log", async () => {
    const long = "x".repeat(MAX_RESULT_CHARACTERS + 1);
    const outcome = await run(throwing(new Error(long)));
    expect(outcome).toMatchObject({ kind: "failed", message: long });
    expect(outcome).toHaveProperty("content", expect.stringContaining("1 more characters were cut off"));
  });

  it("PLK-101 does not start once the signal has fired", async () => {
    let calls = 0;
    const reason = new Error("enough");
    const error = await rejection(
      run(
        tool("t", () => ++calls),
        call(),
        context(AbortSignal.abort(reason)),
      ),
    );
    expect(error).toMatchObject({ code: "aborted", cause: reason });
    expect(calls).toBe(0);
  });

  it("rejects as aborted when the signal fires while invoke runs, whatever invoke does then", async () => {
    for (const end of [() => "done", () => Promise.reject(new Error("torn down"))]) {
      const controller = new AbortController();
      const custom = tool("t", () => {
        controller.abort();
        return end();
      });
      expect(await rejection(run(custom, call(), context(controller.signal)))).toMatchObject({ code: "aborted" });
    }
  });
});

describe("settleCall", () => {
  it("answers the call by its id, and marks everything but success as an error", () => {
    expect(settleCall(call(), { kind: "ok", content: "x", cut: 0 })).toEqual({
      role: "tool",
      toolCallId: "c1",
      name: "t",
      content: "x",
    });
    expect(settleCall(call(), { kind: "rejected", content: TOOL_UNAVAILABLE })).toMatchObject({ isError: true });
    expect(settleCall(call(), { kind: "failed", content: "x", message: "x", error: "x" })).toMatchObject({
      isError: true,
    });
  });
});
