import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Validator, type Schema } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import { CassetteError } from "../../../src/cassette/errors.js";
import { MAX_RULES } from "../../../src/cassette/limits.js";
import { checkRuleSet, parseRules, readRules } from "../../../src/cassette/rules/read.js";
import { nodeFiles } from "../../../src/host/files.js";
import { refusal, rejection } from "../../support/refusal.js";

const schemaPath = fileURLToPath(new URL("../../../schemas/rules.schema.json", import.meta.url));
const schema = new Validator(JSON.parse(readFileSync(schemaPath, "utf8")) as Schema, "2020-12");

const ALL = [
  { id: "a", never: "delete", reason: "It cannot be undone." },
  { id: "b", never: { tool: "pay", arguments: { properties: { amount: { minimum: 100 } } } } },
  { id: "c", before: { first: "search", then: { tool: "book" } } },
  { id: "d", atMost: { call: "pay", times: 1 } },
  { id: "e", atLeast: { call: { tool: "search", arguments: {} }, times: 2 } },
  { id: "f", arguments: { tool: "pay", schema: { required: ["currency"] } } },
  { id: "g", within: { maxTokens: 10, maxCostUsd: 0.5, maxTurns: 3, maxCalls: 0 }, allowUnknown: true },
];
const file = (...rules: unknown[]): unknown => ({ rulesVersion: 1, rules });
const pay = (rest: object): unknown => file({ id: "x", ...rest });

describe("a file of rules", () => {
  it("is read with every kind of rule, and frozen", () => {
    const value = { $schema: "./schemas/rules.schema.json", ...(file(...ALL) as object) };
    const { rules } = parseRules(JSON.stringify(value));
    expect(rules).toEqual(ALL);
    expect(Object.isFrozen(rules[0])).toBe(true);
    expect(schema.validate(value)).toMatchObject({ valid: true });
  });

  it.each<[string, unknown, string, string]>([
    ["no object", [], "", "a list in place of an object"],
    ["an unknown field", { rulesVersion: 1, rules: ALL, rule: [] }, "/rule", 'an unknown field: "rule"'],
    ["another version", { rulesVersion: 2, rules: ALL }, "/rulesVersion", "the rulesVersion 2, not 1"],
    ["no rules", file(), "/rules", "must be a list with at least one rule"],
    ["too many rules", file(...Array(MAX_RULES + 1).fill(ALL[0])), "/rules", "more than the limit of 1000"],
    ["a rule without an id", file({ never: "x" }), "/rules/0/id", "a rule without an id"],
    ["a reason that is not text", pay({ never: "x", reason: 1 }), "/rules/0/reason", "a reason that is not a text"],
    ["a rule that demands nothing", pay({}), "/rules/0", "a rule with none of never, before"],
    ["a rule that demands two things", pay({ never: "a", atMost: {} }), "/rules/0", "a rule with never and atMost"],
    ["a misspelt kind", pay({ nevr: "a" }), "/rules/0/nevr", 'an unknown field: "nevr"'],
    ["no tool", pay({ never: "" }), "/rules/0/never", `"" in place of a tool's name`],
    ["a tool that is not a name", pay({ never: { tool: 1 } }), "/rules/0/never/tool", "1 in place of a tool's name"],
    [
      "a schema that is not an object",
      pay({ never: { tool: "a", arguments: true } }),
      "/rules/0/never/arguments",
      "true",
    ],
    ["a count without a number", pay({ atMost: { call: "a" } }), "/rules/0/atMost/times", "the times undefined"],
    ["a count of none", pay({ atMost: { call: "a", times: 0 } }), "/rules/0/atMost/times", "whole number of 1 or more"],
    ["half a before", pay({ before: { first: "a" } }), "/rules/0/before/then", "undefined in place of an object"],
    ["arguments without a schema", pay({ arguments: { tool: "a" } }), "/rules/0/arguments/schema", "have no schema"],
    ["no limit", pay({ within: {} }), "/rules/0/within", "a within rule without a limit"],
    [
      "half a turn",
      pay({ within: { maxTurns: 1.5 } }),
      "/rules/0/within/maxTurns",
      "must be a whole number of 0 or more",
    ],
    [
      "a cost below 0",
      pay({ within: { maxCostUsd: -1 } }),
      "/rules/0/within/maxCostUsd",
      "must be a number of 0 or more",
    ],
    ["an unknown limit", pay({ within: { maxCost: 1 } }), "/rules/0/within/maxCost", 'unknown field: "maxCost"'],
    ["allowUnknown elsewhere", pay({ never: "a", allowUnknown: true }), "/rules/0/allowUnknown", "outside a rule"],
    [
      "allowUnknown that is not an answer",
      pay({ within: { maxTurns: 1 }, allowUnknown: 1 }),
      "/rules/0/allowUnknown",
      "not",
    ],
  ])("is refused with %s, with the place, by the published schema too", (_name, value, pointer, words) => {
    const error = refusal(() => parseRules(JSON.stringify(value), { file: "r.json" })) as CassetteError;
    expect(error).toMatchObject({ code: "rules-malformed", file: "r.json", pointer });
    expect(error.summary).toContain(words);
    expect(schema.validate(JSON.parse(JSON.stringify(value))).valid).toBe(false);
  });

  it.each<[string, unknown, string, string]>([
    ["an id twice", file(ALL[0], ALL[0]), "/rules/1/id", 'the id "a" twice'],
    ["a call before itself", pay({ before: { first: "a", then: "a" } }), "/rules/0/before", "a call before itself"],
    [
      "a schema that cannot be used",
      pay({ arguments: { tool: "a", schema: { type: "strng" } } }),
      "/rules/0/arguments/schema",
      '"strng" must be a type',
    ],
  ])("is refused with %s, which no schema can say", (_name, value, pointer, words) => {
    const error = refusal(() => checkRuleSet(value)) as CassetteError;
    expect(error).toMatchObject({ code: "rules-malformed", pointer });
    expect(error.summary).toContain(words);
  });

  it("is refused as rules where its text is not JSON, since no cassette was refused", () => {
    const error = refusal(() => parseRules('{"rules":1,"rules":2}', { file: "r.json" })) as CassetteError;
    expect(error).toMatchObject({ code: "rules-malformed", file: "r.json" });
    expect(error.summary).toContain("the rules cannot be read: ");
  });

  it("that is not there says so", async () => {
    const error = (await rejection(readRules(nodeFiles(), "/nowhere/cassette.rules.json"))) as CassetteError;
    expect(error).toMatchObject({ code: "file-not-found", hint: expect.stringContaining("docs/rules.md") });
  });
});
