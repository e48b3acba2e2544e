// Subjects with one subtle fault each: every law finds its own within its default runs, whatever the seed. And odd subjects that are
// right, which no law accuses.

import { describe, expect, it } from "vitest";
import type { HashFilter } from "../../../src/cassette/prompt/prompt-delta.js";
import type { Redact } from "../../../src/cassette/redact/answers.js";
import { createBudget, type Budget, type BudgetCap, type BudgetLimits } from "../../../src/core/loop/budget.js";
import type { CustomTool } from "../../../src/core/tools/tool.js";
import { checkBudget, checkHashFilter, checkRedaction, checkTool } from "../../../src/harness/properties/index.js";

/** The law that is broken for each of some seeds, and undefined where none is. One after another, since prototypes are watched. */
async function verdicts(check: (seed: number) => Promise<unknown>, seeds = [1, 2]): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const seed of seeds) {
    const verdict = check(seed).then(
      () => undefined,
      (error: { law?: string; message: string }) => error.law ?? error.message,
    );
    found.push(await verdict);
  }
  return found;
}

const forecast: CustomTool["schema"] = {
  type: "object",
  required: ["city"],
  properties: {
    city: { type: "string" },
    days: { type: "integer", minimum: 0, maximum: 9 },
    tags: { type: "array", items: { type: "string" }, maxItems: 8 },
    note: { type: "string", maxLength: 80 },
    filter: { type: "object" },
  },
  additionalProperties: false,
};
interface Asked {
  city: string;
  days?: number;
  tags?: string[];
  note?: string;
  filter?: Record<string, unknown>;
}
const forecasting = (invoke: (args: Asked) => unknown, more: Partial<CustomTool> = {}) => ({
  ...{ name: "forecast", description: "The weather to come.", schema: forecast },
  ...more,
  invoke: invoke as never,
});
const CRASHES = "a call gives a result or a readable error";

describe("checkTool", () => {
  const broken: [string, () => CustomTool, string][] = [
    ["cannot take a full list", () => forecasting(({ tags }) => tags?.length === 8 && null!["x"]), CRASHES],
    ["cannot take the longest text", () => forecasting(({ note }) => note?.length === 80 && null!["x"]), CRASHES],
    ["calls a method of its arguments", () => forecasting(({ filter }) => filter?.hasOwnProperty("a")), CRASHES],
    [
      "forgets that null is not an object",
      () => forecasting((a) => Object.values(a.filter ?? {}).map(String2)),
      CRASHES,
    ],
    ["cuts a character in two", () => forecasting(({ city }) => city.slice(0, 3)), "a result is plain JSON"],
    [
      "replaces a method of all objects",
      () =>
        forecasting(() => {
          const own = Object.prototype.toString;
          Object.prototype.toString = function (this: unknown) {
            return own.call(this);
          };
        }),
      "a call does not change prototypes",
    ],
    [
      "adds to numbers",
      () => forecasting(() => void Object.assign(Number.prototype, { twice: 2 })),
      "a call does not change prototypes",
    ],
    [
      "is busy while it is asked",
      () => {
        let isBusy = false;
        return forecasting(async () => {
          if (isBusy) throw new TypeError("busy");
          isBusy = true;
          await Promise.resolve();
          isBusy = false;
        });
      },
      CRASHES,
    ],
    [
      "gives NaN deep inside",
      () => forecasting(({ days = 0 }) => ({ mean: [days / 0 - days / 0] })),
      "a result is plain JSON",
    ],
    ["throws nothing at all", () => forecasting(({ city }) => (city === "" ? Promise.reject() : 1)), CRASHES],
    ["gives a function later", () => forecasting(async () => () => 1), "a result is plain JSON"],
    [
      "adds to lists",
      () => forecasting(() => void Object.assign(Array.prototype, { last: 1 })),
      "a call does not change prototypes",
    ],
  ];
  it.each(broken)("finds a tool that %s", async (_name, make, law) => {
    expect(await verdicts((seed) => checkTool(make(), { seed }))).toEqual([law, law]);
  });

  it("leaves prototypes as they were", () => {
    expect(Object.prototype.toString.call([])).toBe("[object Array]");
    expect(Reflect.has(Number.prototype, "twice")).toBe(false);
  });

  const right: [string, () => CustomTool][] = [
    ["changes its arguments", () => forecasting((args) => Object.assign(args, { city: "", days: undefined }))],
    ["gives one object twice", () => forecasting(() => Array<unknown>(2).fill({ a: 1 }))],
    [
      "gives an object without a prototype",
      () => forecasting(() => Object.assign(Object.create(null) as object, { a: 1 })),
    ],
    [
      "throws an error of another realm",
      () =>
        forecasting(() => {
          throw foreignError();
        }),
    ],
    [
      "writes, and takes one call at a time",
      () => {
        let isBusy = false;
        return forecasting(
          async () => {
            if (isBusy) throw new TypeError("busy");
            isBusy = true;
            await Promise.resolve();
            isBusy = false;
          },
          { effect: "write" },
        );
      },
    ],
  ];
  it.each(right)("passes a tool that %s", async (_name, make) => {
    expect(await verdicts((seed) => checkTool(make(), { seed, numRuns: 100 }), [1])).toEqual([undefined]);
  });
});

/** As `String`, which no null survives here. */
const String2 = (value: unknown) => (value as object).toString();

/** An error whose prototypes are not those of this realm, as Node's own are under Jest. */
function foreignError(): unknown {
  const error = new Error("no such city");
  Object.setPrototypeOf(error, Object.assign(Object.create(null) as object, { constructor: function Foreign() {} }));
  return error;
}

const SECRET = "correct-horse-42";
const mask = (text: string) => text.replaceAll(SECRET, "<gone>");
/** Every text and key of a value rewritten, told where it stands. */
function rewrite(value: unknown, change: (text: string, at: string) => string, at = ""): unknown {
  if (typeof value === "string") return change(value, at);
  if (Array.isArray(value)) return value.map((item, index) => rewrite(item, change, `${at}/${index}`));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, item]) => [change(key, `${at}/*`), rewrite(item, change, `${at}/${key}`)]),
  );
}
const redacting =
  (change: (text: string, at: string) => string): Redact =>
  (response) =>
    rewrite(response, change) as typeof response;
const after =
  (change: (response: ReturnType<Redact>) => unknown): Redact =>
  (response) =>
    change(redacting(mask)(response)) as typeof response;

describe("checkRedaction", () => {
  const LEFT = "no secret is left";
  const broken: [string, Redact, string[]][] = [
    [
      "takes out the first only",
      redacting((text) => text.replace(SECRET, "<gone>")),
      ["applying it twice is the same as applying it once", LEFT],
    ],
    [
      "looks for whole words",
      redacting((text) => text.replaceAll(new RegExp(`(?<!\\S)${SECRET}(?!\\S)`, "g"), "<>")),
      [LEFT],
    ],
    ["skips the second call", redacting((text, at) => (/toolCalls\/1/.test(at) ? text : mask(text))), [LEFT]],
    ["skips keys", redacting((text, at) => (at.endsWith("*") ? text : mask(text))), [LEFT]],
    [
      "reads every thought as words",
      after((response) => {
        for (const thought of response.message.reasoning ?? []) (thought as { text: string }).text.trim();
        return response;
      }),
      ["it never throws"],
    ],
    ["leaves a date object", after((response) => ({ ...response, at: new Date(0) })), ["it gives an answer"]],
    ["loses the final answer", after(({ finalAnswer: _final, ...rest }) => rest), ["it leaves how the turn ended"]],
    [
      "makes a call of what was none",
      after((response) => {
        for (const call of response.message.toolCalls ?? []) delete call.malformedArguments;
        return response;
      }),
      ["it leaves ids, names and number of the calls"],
    ],
    [
      "puts the calls in another order",
      after((response) => {
        response.message.toolCalls?.reverse();
        return response;
      }),
      ["it leaves ids, names and number of the calls"],
    ],
    [
      "renames calls",
      after((response) => {
        for (const call of response.message.toolCalls ?? []) call.name = "gone";
        return response;
      }),
      ["it leaves ids, names and number of the calls"],
    ],
    [
      "says that every turn was stopped",
      after((response) => ({ ...response, stopReason: "contentFilter" })),
      ["it leaves how the turn ended"],
    ],
    [
      "gives thoughts without words",
      after((response) => {
        for (const thought of response.message.reasoning ?? []) Reflect.deleteProperty(thought, "text");
        return response;
      }),
      ["it gives an answer"],
    ],
    ["skips thoughts", redacting((text, at) => (at.startsWith("/message/reasoning") ? text : mask(text))), [LEFT]],
    [
      "skips what could not be read",
      redacting((text, at) => (at.endsWith("/malformedArguments") ? text : mask(text))),
      [LEFT],
    ],
    [
      "marks addresses, and its marks again",
      redacting((text) => mask(text).replaceAll(/([a-z.]+)@[a-z.]+/g, "x$1@gone.test")),
      ["applying it twice is the same as applying it once"],
    ],
  ];
  it.each(broken)("finds a function that %s", async (_name, redact, laws) => {
    for (const law of await verdicts((seed) => checkRedaction(redact, { seed, secrets: [SECRET] }))) {
      expect(laws).toContain(law);
    }
  });

  it.each<[string, Redact]>([
    ["leaves fields that are undefined", after((response) => ({ ...response, model: undefined }))],
    ["changes the answer it is given", (response) => Object.assign(response, redacting(mask)(response))],
    ["gives what is frozen", after((response) => Object.freeze(response))],
    ["keeps no words at all", after((response) => ({ ...response, message: { ...response.message, content: "" } }))],
  ])("passes a function that %s", async (_name, redact) => {
    const found = await verdicts((seed) => checkRedaction(redact, { seed, secrets: [SECRET], numRuns: 100 }), [1]);
    expect(found).toEqual([undefined]);
  });
});

describe("checkHashFilter", () => {
  const filtering =
    (change: (text: string) => string): HashFilter =>
    (messages) =>
      messages.map((message) =>
        typeof message.content === "string" ? { ...message, content: change(message.content) } : message,
      );
  const TWICE = "applying it twice is the same as applying it once";
  it.each<[string, HashFilter, string | RegExp]>([
    ["marks dates, and its marks again", filtering((text) => text.replaceAll(/\d{4}-\d\d-\d\d/g, "date($&)")), TWICE],
    ["halves runs of spaces", filtering((text) => text.replaceAll("  ", " ")), TWICE],
    ["takes one space off", filtering((text) => text.replace(/ $/, "")), TWICE],
    [
      "gives every id a new one",
      filtering((text) => text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, freshId)),
      /once|same/,
    ],
    [
      "leaves a date object",
      (messages) => messages.map((message) => ({ ...message, at: new Date(0) })),
      "it gives a list of messages",
    ],
    ["gives each prompt its number", numbering(), /same|once/],
    ["leaves nothing", () => [], /makes all of \d+ prompts the same/],
    ["leaves the same message", () => [{ role: "user", content: "-" }], /makes all of \d+ prompts the same/],
  ])("finds a filter that %s", async (_name, filter, law) => {
    for (const found of await verdicts((seed) => checkHashFilter(filter, { seed }))) expect(found).toMatch(law);
  });

  it.each<[string, HashFilter]>([
    ["drops messages", (messages) => messages.filter(({ role }) => role !== "system")],
    ["writes into its copy", (messages) => messages.map((message) => Object.assign(message, { extra: 1 }))],
    ["gives what is frozen", (messages) => Object.freeze(messages) as never],
  ])("passes a filter that %s", async (_name, filter) => {
    expect(await verdicts((seed) => checkHashFilter(filter, { seed, numRuns: 50 }), [1])).toEqual([undefined]);
  });
});

function numbering(): HashFilter {
  let prompts = 0;
  return (messages) => [{ role: "system", content: `prompt ${(prompts += 1)}` }, ...messages];
}

let ids = 0;
const freshId = () => `<id ${(ids += 1)}>`;

describe("checkBudget", () => {
  /** Ours, with some of it replaced. */
  const like = (limits: BudgetLimits, change: (own: Budget) => Partial<Budget>) => () => {
    const own = createBudget(limits);
    return Object.create(own, Object.getOwnPropertyDescriptors(change(own))) as Budget;
  };
  /** Ours without caps, below one cap of its own. */
  const capped = (cap: BudgetCap, limit: number, forbids: (own: Budget) => boolean) =>
    like({ maxTurns: Infinity, maxToolCalls: Infinity }, (own) => ({
      takeTurn: () => (forbids(own) ? cap : own.takeTurn()),
      limitOf: (name) => (name === cap ? limit : own.limitOf(name)),
    }));
  const EARLY = "a cap forbids nothing before it is reached";
  const LATE = "tokens and cost exceed their caps by at most one turn";
  const COUNTED = "what was counted is what was taken and spent";
  it.each<[string, () => Budget, string]>([
    ["ends a turn too soon", capped("turns", 5, ({ turns }) => turns >= 4), EARLY],
    ["ends nine tenths of the way", capped("tokens", 1_000, ({ usage }) => tokensOf(usage) >= 900), EARLY],
    ["begins a turn at its last token", capped("tokens", 1_000, ({ usage }) => tokensOf(usage) > 1_000), LATE],
    ["begins a turn at its last cent", capped("costUsd", 5, ({ usage }) => (usage.costUsd ?? 0) > 5), LATE],
    ["names another cap", like({ maxTokens: 50 }, (own) => ({ takeTurn: () => own.takeTurn() && "turns" })), EARLY],
    [
      "names an unknown cap",
      like({ maxTokens: 50 }, (own) => ({ takeTurn: () => own.takeTurn() && ("money" as never) })),
      EARLY,
    ],
    [
      "forgives a tool call",
      like({ maxToolCalls: 3 }, (own) => {
        let refused = 0;
        return { takeToolCall: () => (own.takeToolCall() && (refused += 1) === 1 ? "toolCalls" : undefined) };
      }),
      "a cap that forbids keeps forbidding",
    ],
    [
      "takes answers for questions",
      like({}, (own) => ({
        get usage() {
          const { inputTokens, outputTokens, ...rest } = own.usage;
          return { ...rest, inputTokens: outputTokens, outputTokens: inputTokens };
        },
      })),
      COUNTED,
    ],
    [
      "restarts with each conversation",
      () => {
        let own = createBudget({ maxTurns: 8 });
        return {
          returnTurn: () => own.returnTurn(),
          get spent() {
            return own.spent;
          },
          takeTurn: () => own.takeTurn(),
          takeToolCall: () => own.takeToolCall(),
          spend: (response) => own.spend(response),
          beginConversation: () => void (own = createBudget({ maxTurns: 8 })),
          limitOf: (cap) => own.limitOf(cap),
          get turns() {
            return own.turns;
          },
          get toolCalls() {
            return own.toolCalls;
          },
          get usage() {
            return own.usage;
          },
        };
      },
      COUNTED,
    ],
    [
      "moves its limit",
      like({}, (own) => ({ limitOf: (cap) => (cap === "tokens" ? 100 * (1 + own.turns) : own.limitOf(cap)) })),
      "a limit is a number of 0 or more, and stays",
    ],
    [
      "has no number for a limit",
      like({}, (own) => ({ limitOf: (cap) => (cap === "turns" ? NaN : own.limitOf(cap)) })),
      "a limit is a number of 0 or more, and stays",
    ],
    [
      "throws where it should forbid",
      like({ maxTurns: 3 }, (own) => ({
        takeTurn() {
          if (own.turns === 3) throw new Error("over budget");
          return own.takeTurn();
        },
      })),
      "a budget answers and never throws",
    ],
  ])("finds one that %s", async (_name, make, law) => {
    expect(await verdicts((seed) => checkBudget(make, { seed }))).toEqual([law, law]);
  });
});

const tokensOf = ({ inputTokens, outputTokens }: Budget["usage"]) => inputTokens + outputTokens;
