import { describe, expect, it } from "vitest";
import { ToolArgError, ToolPolicyError } from "../../../src/core/errors.js";
import { MAX_RESULT_CHARACTERS } from "../../../src/core/limits.js";
import type {
  ToolCallDecision,
  ToolPolicy,
  ToolPolicyCall,
  ToolPolicyResult,
  ToolResultDecision,
} from "../../../src/core/tools/policy-decision.js";
import type { CustomTool } from "../../../src/core/tools/tool.js";
import { gate, playLoop, toolResults, type LoopCase, type LoopRun } from "../../support/loop.js";
import { ask, say, tool, watchedScript } from "../../support/script.js";

const SCHEMA = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;

/** A tool that keeps what it was called with and gives it back. */
function spy(extra: Partial<CustomTool> = {}) {
  const ran: unknown[] = [];
  const give = tool("give", (args) => (ran.push(args), args), {
    schema: { ...SCHEMA },
    ...extra,
  } as Partial<CustomTool>);
  return { ran, give };
}

const one = ask([{ name: "give", arguments: { n: 1 } }]);
const policies = (...list: ToolPolicy[]) => list;
const call = (decision: ToolCallDecision | undefined): ToolPolicy => ({ call: () => decision });
const result = (decision: ToolResultDecision | undefined): ToolPolicy => ({ result: () => decision });
const kinds = ({ events }: LoopRun) => events.map(({ type }) => type).filter((type) => type.startsWith("tool-"));
const notes = ({ events }: LoopRun) =>
  events.flatMap((event) => (event.type === "tool-policy" ? [`${event.callId} ${event.hook} ${event.action}`] : []));

async function play(list: readonly ToolPolicy[], part: LoopCase = {}) {
  const { ran, give } = spy();
  const run = await playLoop({ steps: [one, say("done")], tools: [give], policies: list, ...part });
  return { ...run, ran };
}

describe("a call hook", () => {
  it("PSS-102 sees the call and lets it run, by saying so or by saying nothing", async () => {
    const seen: ToolPolicyCall[] = [];
    const look: ToolPolicy = {
      call(asked) {
        seen.push(asked);
        return undefined;
      },
    };
    const run = await play([look, call({ action: "allow" })]);
    const place = { turnIndex: 0, callIndex: 0 };
    expect(seen).toMatchObject([{ tool: "give", callId: "c0", agentId: "a", ...place, arguments: { n: 1 } }]);
    expect(seen[0]?.signal).toBeInstanceOf(AbortSignal);
    expect(toolResults(run.history)).toEqual(['c0: {"n":1}']);
    expect(kinds(run)).toEqual(["tool-call", "tool-result"]);
  });

  it("PSS-102 is told the turn that asked, and the call's place in it", async () => {
    const seen: number[][] = [];
    const look: ToolPolicy = { call: ({ turnIndex, callIndex }) => void seen.push([turnIndex, callIndex]) };
    const two = ask([one, one].map(() => ({ name: "give", arguments: { n: 1 } })));
    await play([look], { steps: [one, two, say("done")] });
    expect(seen).toEqual([
      [0, 0],
      [1, 0],
      [1, 1],
    ]);
  });

  it("PSS-102 modifies the arguments, which later hooks and the tool see, scrubbed", async () => {
    const seen: unknown[] = [];
    const input = JSON.parse('{"n":2,"__proto__":{"admin":true},"constructor":1}') as object;
    const look: ToolPolicy = { call: ({ arguments: args }) => void seen.push(args) };
    const run = await play(policies(call({ action: "modify", input }), look));
    expect(seen).toEqual([{ n: 2 }]);
    expect(run.ran).toEqual([{ n: 2 }]);
    expect(notes(run)).toEqual(["c0 call modify"]);
    expect(run.history[1]).toMatchObject({ toolCalls: [{ arguments: { n: 1 } }] });
  });

  it("PSS-102 ends the run when the arguments it gives do not match the tool's schema", async () => {
    const run = await play([call({ action: "modify", input: { n: "two" } })]);
    expect(run.error).toBeInstanceOf(ToolPolicyError);
    expect(run.error).toMatchObject({ cause: { code: "tool-arguments", field: "/n" } });
    expect(run.ran).toEqual([]);
  });

  it("PSS-102 rejects a call and the run goes on: the tool does not run and the model reads why", async () => {
    const run = await play([call({ action: "reject-and-continue", message: "ask a person" })]);
    expect(run.stop).toEqual({ kind: "finished", finalAnswer: "done" });
    expect(run.ran).toEqual([]);
    expect(run.history.at(-2)).toMatchObject({ role: "tool", content: "ask a person", isError: true });
    expect(run.events).toContainEqual(expect.objectContaining({ type: "tool-failed", message: "ask a person" }));
    expect(kinds(run)).toEqual(["tool-call", "tool-policy", "tool-failed"]);
  });

  it("PSS-102 goes on after a rejection where the agent ends on failures, but not beyond its corrections", async () => {
    const no = [call({ action: "reject-and-continue", message: "no" })];
    expect((await play(no, { onToolError: "fail" })).stop).toMatchObject({ kind: "finished" });
    expect((await play(no, { maxCorrections: 0 })).error).toMatchObject({ code: "tool-failed" });
  });

  it("PSS-102 synthesises an output in place of the tool's, bounded as any", async () => {
    const short = await play([call({ action: "synthesize", output: { ok: true } })]);
    expect(short.ran).toEqual([]);
    expect(toolResults(short.history)).toEqual(['c0: {"ok":true}']);
    expect(short.history.at(-2)).not.toHaveProperty("isError");
    expect(notes(short)).toEqual(["c0 call synthesize"]);
    const long = await play([call({ action: "synthesize", output: "x".repeat(MAX_RESULT_CHARACTERS + 7) })]);
    expect(toolResults(long.history)[0]).toMatch(/\[… 7 more characters were cut off\]$/);
  });

  it("PSS-102 ends the run with its error, and the model is asked nothing more", async () => {
    const provider = watchedScript([one, say("x")]);
    const run = await play([call({ action: "error", message: "not on Sundays" })], { provider });
    expect(run.error).toMatchObject({ name: "ToolPolicyError", code: "tool-denied", message: "not on Sundays" });
    expect(provider.asked).toHaveLength(1);
    expect(run.ran).toEqual([]);
    expect(kinds(run)).toEqual(["tool-call", "tool-policy", "tool-denied"]);
  });

  it("that decides has the last word", async () => {
    const run = await play(policies(call({ action: "synthesize", output: 1 }), { call: () => expect.unreachable() }));
    expect(toolResults(run.history)).toEqual(["c0: 1"]);
  });

  it.each(["gone", "give"])("is not asked of a call that our own checks refuse: %s", async (name) => {
    const steps = [ask([{ name, arguments: {} }]), say("x")];
    const asked = () => expect.unreachable();
    const run = await play([{ call: asked, result: asked }], { steps });
    expect(run.error).toBeUndefined();
    expect(toolResults(run.history)).toEqual(["c0: tool unavailable"]);
  });

  it("sees copies: what it does to them reaches neither the model's call nor the tool nor another hook", async () => {
    const spoil = (args: { n?: unknown }) => void (args.n = 99);
    const spoiler: ToolPolicy = {
      call: ({ arguments: args }) => spoil(args),
      result: ({ arguments: args, output }) => (spoil(args), spoil(output as object)),
    };
    const seen: unknown[] = [];
    const last: ToolPolicy = { result: ({ arguments: args, output }) => void seen.push(args, output) };
    const run = await play([spoiler, spoiler, last]);
    expect(run.ran).toEqual([{ n: 1 }]);
    expect(seen).toEqual([{ n: 1 }, { n: 1 }]);
    expect(run.history[1]).toMatchObject({ toolCalls: [{ arguments: { n: 1 } }] });
    expect(toolResults(run.history)).toEqual(['c0: {"n":1}']);
  });
});

describe("a result hook", () => {
  const seeing = () => {
    const seen: ToolPolicyResult[] = [];
    return { seen, look: { result: (given) => void seen.push(given) } satisfies ToolPolicy as ToolPolicy };
  };
  const failing = (error: Error) =>
    tool("give", () => {
      throw error;
    });
  const wrap = (decision: ToolCallDecision) => [call(decision)];

  it.each<[string, ToolPolicy[], CustomTool[] | undefined, object]>([
    ["allowed", [], undefined, { status: "done", output: { n: 1 } }],
    ["modified", wrap({ action: "modify", input: { n: 2 } }), undefined, { status: "done", output: { n: 2 } }],
    [
      "rejected",
      wrap({ action: "reject-and-continue", message: "no" }),
      undefined,
      { status: "error", output: "no", error: "no" },
    ],
    ["synthesised", wrap({ action: "synthesize", output: [1n] }), undefined, { status: "done", output: ["1"] }],
    ["failed", [], [failing(new Error("broke"))], { status: "error", output: "broke", error: "broke" }],
    [
      "masked",
      [],
      [failing(new ToolArgError("the key is bad"))],
      { status: "error", output: "tool unavailable", error: "the key is bad" },
    ],
  ])("PSS-103 runs after a call that was %s", async (_name, before, tools, expected) => {
    const { seen, look } = seeing();
    const run = await play([...before, look], tools === undefined ? {} : { tools });
    expect(run.error).toBeUndefined();
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({ tool: "give", callId: "c0", agentId: "a", ...expected });
    expect("error" in (seen[0] as object)).toBe("error" in expected);
  });

  it("PSS-103 does not run after a denial", async () => {
    const asked: ToolPolicy = { result: () => expect.unreachable() };
    const denial = new ToolPolicyError("never");
    expect((await play([asked], { tools: [failing(denial)] })).error).toBe(denial);
    const error = await play([call({ action: "error", message: "never" }), asked]);
    expect(error.error).toMatchObject({ message: "never" });
  });

  it("PSS-103 sees the whole output, before it is cut for the model", async () => {
    const { seen, look } = seeing();
    const long = "x".repeat(MAX_RESULT_CHARACTERS + 5);
    const run = await play([look], { tools: [tool("give", () => long)] });
    expect(seen[0]?.output).toBe(long);
    expect(toolResults(run.history)[0]).toContain("5 more characters were cut off");
  });

  it("PSS-103 replaces a result, and later hooks see the replacement", async () => {
    const { seen, look } = seeing();
    const first = result({ status: "error", error: "stale", output: "try again" });
    const run = await play([first, look, result({ status: "done", output: { fresh: true } }), look]);
    expect(seen).toMatchObject([
      { status: "error", error: "stale", output: "try again" },
      { status: "done", output: { fresh: true } },
    ]);
    expect(seen[1]).not.toHaveProperty("error");
    expect(toolResults(run.history)).toEqual(['c0: {"fresh":true}']);
    expect(notes(run)).toEqual(["c0 result error", "c0 result done"]);
  });

  it("PSS-103 makes an error: the model reads the output, the log keeps the error, the agent may end on it", async () => {
    const list = [result({ status: "error", error: "stale", output: { retry: true } })];
    const run = await play(list);
    expect(run.history.at(-2)).toMatchObject({ content: '{"retry":true}', isError: true });
    expect(run.events).toContainEqual(expect.objectContaining({ type: "tool-failed", message: "stale" }));
    const ended = await play(list, { onToolError: "fail" });
    expect(ended.error).toMatchObject({ code: "tool-failed", message: "tool give failed: stale" });
  });

  it("PSS-103 withholds a result as cancelled, which neither ends a run nor counts as a refusal", async () => {
    const list = [result({ status: "cancelled", error: "secret found", output: "withheld" })];
    const run = await play(list, { onToolError: "fail", maxCorrections: 0 });
    expect(run.stop).toMatchObject({ kind: "finished" });
    expect(run.ran).toHaveLength(1);
    expect(run.history.at(-2)).toMatchObject({ content: "withheld", isError: true });
    expect(run.events).toContainEqual(expect.objectContaining({ type: "tool-failed", message: "secret found" }));
    expect(notes(run)).toEqual(["c0 result cancelled"]);
  });

  it("PSS-103 makes a failure a success, even for an agent that ends on failures", async () => {
    const list = [result({ status: "done", output: "cached" })];
    const run = await play(list, { tools: [failing(new Error("down"))], onToolError: "fail" });
    expect(run.stop).toMatchObject({ kind: "finished" });
    expect(toolResults(run.history)).toEqual(["c0: cached"]);
  });

  it("sees a call that took too long as one that failed", async () => {
    const { seen, look } = seeing();
    const deaf = tool("give", () => new Promise(() => undefined));
    const ports = { timer: (_ms: number, fire: () => void) => (queueMicrotask(fire), () => undefined) };
    await play([look], { tools: [deaf], ports, toolTimeoutMs: 9 });
    expect(seen).toMatchObject([{ status: "error", error: "the tool took longer than 9 ms" }]);
  });
});

describe("a policy that is broken", () => {
  const bad = (answer: unknown) => () => answer as never;

  it.each<[string, unknown, string]>([
    ["null", null, "something that is not a decision"],
    ["a text", "allow", "something that is not a decision"],
    ["a list", [], "something that is not a decision"],
    ["true", true, "something that is not a decision"],
    ["no action", {}, "an unknown action"],
    ["an unknown action", { action: "deny" }, "an unknown action"],
    ["an action of every object", { action: "toString" }, "an unknown action"],
    ["an unknown key", { action: "allow", reason: "x" }, 'allow with an unknown "reason"'],
    ["no input", { action: "modify" }, "modify without input"],
    ["no message", { action: "reject-and-continue" }, "reject-and-continue without a text as message"],
    ["a message that is not text", { action: "error", message: 7 }, "error without a text as message"],
    ["no output", { action: "synthesize", output: undefined }, "synthesize without output"],
  ])("ends the run before the tool when its call hook gives %s", async (_name, answer, words) => {
    const run = await play([{ call: bad(answer) }]);
    expect(run.error).toMatchObject({
      code: "tool-denied",
      message: `the call hook of a policy gave ${words} for tool give`,
    });
    expect(run.ran).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ["false", false, "something that is not a decision"],
    ["no status", { output: 1 }, "an unknown status"],
    ["no output", { status: "done" }, "done without output"],
    ["no error", { status: "cancelled", output: 1 }, "cancelled without a text as error"],
  ])("ends the run when its result hook gives %s", async (_name, answer, words) => {
    const run = await play([{ result: bad(answer) }]);
    expect(run.error).toMatchObject({ message: `the result hook of a policy gave ${words} for tool give` });
    expect(toolResults(run.history)).toEqual([]);
  });

  it.each(["throws", "rejects"])("ends the run when a hook %s, with what it was as the cause", async (how) => {
    const cause = new TypeError(`no database${"!".repeat(2_000)}`);
    const hook = () => {
      if (how === "rejects") return Promise.reject(cause);
      throw cause;
    };
    for (const policy of [{ call: hook }, { result: hook }]) {
      const { error } = await play([policy], { steps: [one] });
      expect(error).toMatchObject({ name: "ToolPolicyError", retryable: false, cause });
      expect((error as Error).message).toMatch(/^the (call|result) hook of a policy failed at tool give: no database!/);
      expect((error as Error).message.length).toBeLessThan(600);
    }
  });

  it("ends the run with the very denial that a hook throws", async () => {
    const denial = new ToolPolicyError("closed");
    const run = await play([{ call: () => Promise.reject(denial) }]);
    expect(run.error).toBe(denial);
  });

  it("ends the run when an output has no text", async () => {
    const output = { toJSON: () => expect.unreachable() };
    for (const list of [[call({ action: "synthesize", output })], [result({ status: "done", output })]]) {
      expect((await play(list)).error).toMatchObject({ name: "ToolPolicyError" });
    }
  });

  it("that never answers does not hold an aborted run", async () => {
    const controller = new AbortController();
    const hook = () => {
      queueMicrotask(() => controller.abort("enough"));
      return new Promise<never>(() => undefined);
    };
    for (const policy of [{ call: hook }, { result: hook }]) {
      const run = await play([policy], { signal: controller.signal });
      expect(run.error).toMatchObject({ code: "aborted", cause: "enough" });
    }
  });
});

describe("the calls of one turn under policies", () => {
  const three = ask([1, 2, 3].map((n) => ({ name: "give", arguments: { n } })));

  it("are asked of at once, and their results and the log keep call order", async () => {
    const gates = [gate(), gate(), gate()];
    const order: string[] = [];
    const slow: ToolPolicy = {
      async call({ callId, arguments: { n } }) {
        order.push(callId);
        // The last call is decided first.
        if (n !== 3) await gates[n as number]?.opened;
        gates[(n as number) - 1]?.open();
        return { action: "modify", input: { n: (n as number) * 10 } };
      },
    };
    const run = await play([slow], { steps: [three, say("done")] });
    expect(order).toEqual(["c0", "c1", "c2"]);
    expect(run.ran).toEqual([{ n: 30 }, { n: 20 }, { n: 10 }]);
    expect(toolResults(run.history)).toEqual(['c0: {"n":10}', 'c1: {"n":20}', 'c2: {"n":30}']);
    expect(kinds(run).slice(3)).toEqual(Array.from({ length: 3 }, () => ["tool-policy", "tool-result"]).flat());
  });

  it("are asked of one after the other in a batch that writes, each before it runs", async () => {
    const order: unknown[] = [];
    const write = tool("give", ({ n }) => order.push(`run ${String(n)}`), { effect: "write" });
    const watch: ToolPolicy = {
      call: ({ arguments: { n } }) => void order.push(`before ${String(n)}`),
      result: ({ arguments: { n } }) => void order.push(`after ${String(n)}`),
    };
    await play([watch], { steps: [three, say("done")], tools: [write] });
    expect(order).toEqual([1, 2, 3].flatMap((n) => [`before ${n}`, `run ${n}`, `after ${n}`]));
  });

  it("end with the denial of one, once the others are done", async () => {
    const deny: ToolPolicy = {
      call: ({ arguments: { n } }) => (n === 2 ? { action: "error", message: "not two" } : undefined),
    };
    const run = await play([deny], { steps: [three] });
    expect(run.error).toMatchObject({ message: "not two" });
    expect(run.ran).toEqual([{ n: 1 }, { n: 3 }]);
    expect(toolResults(run.history)).toEqual(['c0: {"n":1}', 'c2: {"n":3}']);
  });
});
