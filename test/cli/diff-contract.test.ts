import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { resealCassette } from "../../src/cassette/prompt/reseal.js";
import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { hashJson, type JsonObject } from "../../src/core/index.js";
import { call, stepsOf } from "../cassette/diff/runs.js";
import { cli, documentOf, folder, place } from "./run.js";

/** One call of `weather`, which was offered with one property. */
function offered(property: string, description = "Where."): CassetteV2 {
  const schema = { type: "object", properties: { [property]: { type: "string" } } };
  const tools: JsonObject[] = [{ name: "weather", description, schema }];
  const context = { fromTurn: 0, tools, settings: {}, toolsHash: hashJson(tools), settingsHash: hashJson({}) };
  const run = stepsOf(call("weather", { [property]: "Oslo" }), call("weather", { n: property.length }));
  return resealCassette({ ...run, extensions: { ...run.extensions, contexts: [context] } }, run.entries);
}

const a = place("a.cassette.json", offered("city"));
const b = place("b.cassette.json", offered("town"));
const renamed = place("c.cassette.json", offered("settlement"));

it("cassette diff says what was offered otherwise, and which calls changed for it", async () => {
  expect(await cli(["diff", a, renamed])).toEqual({
    code: 1,
    err: "",
    out: [
      "a → c: 2 drifts",
      '  - weather was called with other arguments at turn 0: /city "Oslo" is gone, /settlement "Oslo" is new.',
      '      /city  "Oslo" → (nothing)',
      '      /settlement  (nothing) → "Oslo"',
      "      the schema of the tool changed there, too",
      "  - weather was called with other arguments at turn 1: /n was 4 and is 10.",
      "      /n  4 → 10",
      "",
      'contract: The schema of tool weather no longer has /properties/city: it was {"type":"string"}, breaking: the property is gone.',
      'contract: The schema of tool weather now has /properties/settlement: it is {"type":"string"}, not seen to break calls.',
      "",
      "drift: 1 task compared, 0 same, 1 drifted",
      "  2 args-changed",
      "  texts were not compared; --content compares them",
      "",
    ].join("\n"),
  });
  expect(documentOf(await cli(["diff", a, b, "--json"]))).toMatchObject({
    tasks: [
      {
        contract: {
          state: "compared",
          changes: [
            { kind: "schema-changed", name: "weather", pointer: "/schema/properties/city" },
            { kind: "schema-changed", pointer: "/schema/properties/town" },
          ],
        },
        drifts: [{ kind: "args-changed", becauseOfSchema: true }],
      },
    ],
  });
});

it("cassette diff says a change once that many tasks share, and never counts it as drift", async () => {
  for (const side of ["old", "new"]) {
    mkdirSync(join(folder, side));
    for (const task of ["x", "y"]) place(`${side}/${task}.cassette.json`, offered("city", side));
  }
  place("old/z.cassette.json", stepsOf(call("read")));
  place("new/z.cassette.json", stepsOf(call("read")));
  const ran = await cli(["diff", join(folder, "old"), join(folder, "new")]);
  expect(ran.code).toBe(0);
  expect(ran.out).toBe(
    [
      'contract: The description of tool weather changed: it was "old" and is "new". (2 tasks)',
      "",
      "same: 3 tasks compared, 3 same, 0 drifted",
      "  texts were not compared; --content compares them",
      "  contract: offered tools and settings were not recorded in 1 task, so not compared",
      "",
    ].join("\n"),
  );
});
