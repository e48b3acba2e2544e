// What the checks are handed before they try anything: what could never be held to a law is refused as what it is, and not
// reported as a law that is broken.

import { describe, expect, it } from "vitest";
import type { HashFilter } from "../../../src/cassette/prompt/prompt-delta.js";
import { createBudget, type Budget } from "../../../src/core/loop/budget.js";
import { AgentError } from "../../../src/core/errors.js";
import { echoProvider } from "../../../src/core/providers/echo.js";
import {
  checkBudget,
  checkHashFilter,
  checkProvider,
  checkRedaction,
  checkTool,
  LawBrokenError,
} from "../../../src/harness/properties/index.js";
import { rejection } from "../../support/refusal.js";
import { tool } from "../../support/script.js";

class Mine {
  turn() {
    return 1;
  }
}
const pending = () => Promise.resolve({});
const checks: Record<string, (subject: unknown, options?: unknown) => Promise<unknown>> = {
  checkTool: (subject, options) => checkTool(subject as never, options as never),
  checkProvider: (subject, options) => checkProvider(subject as never, options as never),
  checkBudget: (subject, options) => checkBudget(subject as never, options as never),
  checkRedaction: (subject, options) => checkRedaction(subject as never, options as never),
  checkHashFilter: (subject, options) => checkHashFilter(subject as never, options as never),
};
const right: Record<string, unknown> = {
  checkTool: tool("look", () => 1),
  checkProvider: echoProvider(),
  checkBudget: {},
  checkRedaction: (response: unknown) => response,
  checkHashFilter: (messages: unknown) => messages,
};

describe.each(Object.keys(checks))("%s", (name) => {
  const check = checks[name] as (typeof checks)[string];

  it.each<[string, unknown, string]>([
    ["null", null, "null"],
    ["a number", 5, "5"],
    ["a text", "look", '"look"'],
    ["a class", Mine, "the class Mine"],
    ["a promise", pending(), "a promise"],
  ])("refuses %s", async (_what, subject, shown) => {
    const error = (await rejection(check(subject))) as AgentError;
    expect(error).toBeInstanceOf(AgentError);
    expect(error).toMatchObject({ code: "invalid-options" });
    expect(error.message).toContain(`${name} was given ${shown}`);
    expect(error.hint).toMatch(/^Pass .*\.$/);
  });

  it("refuses nothing", async () => {
    const error = (await rejection(check(undefined))) as Error;
    expect(error.message).toMatch(new RegExp(`^${name}(: it)? was given (undefined|no filter)`));
  });

  it.each<[unknown, string]>([
    [null, `the options of ${name} are null`],
    [3, `the options of ${name} are 3`],
    [[], `the options of ${name} are a list`],
    [{ runs: 3 }, `${name} has an unknown option: runs`],
    [{ seed: "one" }, `seed of ${name} is "one"`],
    [{ seed: 0.5 }, `seed of ${name} is 0.5`],
    [{ path: 0 }, `path of ${name} is 0`],
  ])("refuses the options %j", async (options, message) => {
    const error = (await rejection(check(right[name], options))) as AgentError;
    expect(error).toMatchObject({ code: "invalid-options", message });
    expect(error.hint).toMatch(/\.$/);
  });
});

describe("what each of them alone is given wrongly", () => {
  const refused = async (check: Promise<unknown>) => {
    const error = (await rejection(check)) as AgentError;
    expect(error).toMatchObject({ name: "AgentError", code: "invalid-options" });
    expect(error.hint).toMatch(/\.$/);
    return error.message;
  };

  it("checkBudget: a limit that nobody knows, one budget, and a function that makes none", async () => {
    expect(await refused(checkBudget({ maxTurn: 3 } as never))).toBe(
      "the budget of checkBudget has an unknown option: maxTurn",
    );
    expect(await refused(checkBudget({ maxTurns: -1 }))).toBe("budget.maxTurns is -1");
    expect(await refused(checkBudget(createBudget() as never))).toBe("checkBudget was given one budget");
    expect(await refused(checkBudget((() => ({})) as never))).toBe(
      "checkBudget was given a function that gave an object instead of a new budget: it has no takeTurn, no takeToolCall, " +
        "no spend, no beginConversation, no limitOf, no turns, no toolCalls, no usage",
    );
    expect(await refused(checkBudget((() => undefined) as never))).toContain("gave undefined instead of a new budget");
    expect(await refused(checkBudget((async () => createBudget()) as never))).toContain(
      "a function that gave a promise instead of a new budget",
    );
    expect(await refused(checkBudget((() => Promise.reject(new Error("no"))) as never))).toContain("gave a promise");
    const thrown = checkBudget(() => {
      throw new Error("no such plan");
    });
    expect(await refused(thrown)).toBe("checkBudget was given a function that threw Error: no such plan");
    const shared = createBudget();
    expect(await refused(checkBudget(() => shared))).toBe(
      "checkBudget was given a function that gave the same budget as at an earlier call",
    );
    expect(await refused(checkBudget({}, { examples: [[{}]] as never }))).toMatch(
      /example 0 of checkBudget is a list: turn 0/,
    );
    expect(await refused(checkBudget({}, { examples: 5 as never }))).toBe("examples of checkBudget is 5");
  });

  it("checkBudget: a budget whose one count is missing", async () => {
    const countless = () => ({ ...createBudget(), usage: undefined }) as unknown as Budget;
    expect(await refused(checkBudget(countless))).toBe(
      "checkBudget was given a function that gave an object instead of a new budget: it has no usage",
    );
  });

  it("checkTool: values without the shape of a tool, and examples that are not arguments", async () => {
    expect(await refused(checkTool({} as never))).toMatch(/./);
    expect(await refused(checkTool((() => 1) as never))).toBe("checkTool was given a function");
    expect(await refused(checkTool((async () => 1) as never))).toBe("checkTool was given an async function");
    expect(await refused(checkTool([] as never))).toBe("checkTool was given a list");
    const examples = [{}, "Oslo"] as never;
    expect(
      await refused(
        checkTool(
          tool("look", () => 1),
          { examples },
        ),
      ),
    ).toBe('example 1 of checkTool is "Oslo": arguments are an object');
    expect(
      await refused(
        checkTool(
          tool("look", () => 1),
          { timeoutMs: 0 },
        ),
      ),
    ).toBe("timeoutMs of checkTool is 0");
    expect(
      await refused(
        checkTool(
          tool("look", () => 1),
          { minAccepted: NaN },
        ),
      ),
    ).toBe("minAccepted of checkTool is NaN");
    expect(
      await refused(
        checkTool(
          tool("look", () => 1),
          { mayThrow: true as never },
        ),
      ),
    ).toBe("mayThrow of checkTool is true");
  });

  it("checkProvider: what has no turn, factories that make none, and invalid prompts", async () => {
    expect(await refused(checkProvider({} as never))).toBe(
      "checkProvider was given an object, which is not a provider",
    );
    expect(await refused(checkProvider((() => 5) as never))).toBe(
      "checkProvider was given a function that gave 5 instead of a new provider: it has no turn",
    );
    expect(await refused(checkProvider(async () => Promise.reject(new Error("no port"))))).toBe(
      "checkProvider was given a function that threw Error: no port",
    );
    expect(await refused(checkProvider(() => new Promise<never>(() => undefined), { timeoutMs: 20 }))).toBe(
      "checkProvider was given a function that gave nothing within 20 ms",
    );
    const shared = echoProvider();
    expect(await refused(checkProvider(() => shared))).toBe(
      "checkProvider was given a function that gave the same provider as at an earlier call",
    );
    expect(await refused(checkProvider(echoProvider(), { prompts: [] }))).toBe("checkProvider was given no prompts");
    expect(await refused(checkProvider(echoProvider(), { prompts: ["hello"] as never }))).toBe(
      "checkProvider was given a prompt 0 without a list of messages",
    );
    const prompts = [{ messages: [{ role: "human", content: "hello" }] }] as never;
    expect(await refused(checkProvider(echoProvider(), { prompts }))).toBe(
      "checkProvider was given a prompt 0 in which /messages/0/role is not one of system, user, assistant, tool",
    );
    expect((await checkProvider(async () => echoProvider(), { numRuns: 2 })).answered).toBeGreaterThan(0);
  });

  it("checkRedaction: what is neither a function nor options, and invalid secrets and examples", async () => {
    expect(await refused(checkRedaction(false as never))).toBe("checkRedaction was given false");
    expect(await refused(checkRedaction(new Mine() as never, { secrets: ["a", 5] as never }))).toBe(
      "checkRedaction was given secrets that are not all texts",
    );
    expect(await refused(checkRedaction({}, { secrets: "correct" as never }))).toBe(
      'secrets of checkRedaction is "correct"',
    );
    expect(await refused(checkRedaction({}, { examples: [{}] as never }))).toBe(
      'example 0 of checkRedaction is an object: /message: expected "an object", got {}',
    );
  });

  it("checkHashFilter: invalid examples", async () => {
    const filter: HashFilter = (messages) => messages;
    expect(await refused(checkHashFilter(filter, { examples: [[{ role: "user" }]] as never }))).toBe(
      "example 0 of checkHashFilter is a list: /0/content is not a string or a list of parts",
    );
  });

  it("a function that is not waited for is named as such, and what it rejects with ends nothing", async () => {
    const late = (async () => Promise.reject(new Error("late"))) as never;
    for (const check of [checkRedaction(late), checkHashFilter(late)]) {
      const error = (await rejection(check)) as LawBrokenError;
      expect(error).toBeInstanceOf(LawBrokenError);
      expect(error.message).toContain("it gave a promise");
    }
  });
});

describe("a stream that goes on for ever", () => {
  it("is named, and does not hold the check", async () => {
    const endless = () => ({
      ...echoProvider(),
      async *stream() {
        for (;;) yield { type: "text-delta", text: "" } as const;
      },
    });
    const error = (await rejection(checkProvider(endless, { numRuns: 1 }))) as LawBrokenError;
    expect(error.message).toContain('the number of pieces in a stream: expected "an end", got "more than 100000"');
  });
});
