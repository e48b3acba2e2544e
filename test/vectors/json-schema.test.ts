// Vectors: 56 files of json-schema-org/JSON-Schema-Test-Suite (MIT), drafts 7 and 2020-12, 1,468 tests. Our door takes
// objects alone, so any other instance is judged as a property of one. Where we differ from the suite is listed here.

import { describe, expect, it } from "vitest";
import type { JsonObject, JsonValue } from "../../src/core/canon/value.js";
import { AgentError, ToolArgError } from "../../src/core/errors.js";
import { createArgumentCheck, type ArgumentCheck } from "../../src/core/tools/argument-check.js";
import { hasShared, readSharedLines } from "../support/shared.js";

interface SuiteFile {
  draft: "draft7" | "draft2020-12";
  file: string;
  optional: boolean;
  groups: { description: string; schema: JsonObject | boolean; tests: SuiteTest[] }[];
}
interface SuiteTest {
  description: string;
  data: JsonValue;
  valid: boolean;
}

/** Required files: what we judge otherwise, with the reason. */
const REQUIRED_DISAGREEMENTS = [
  // Keys that reach prototypes are dropped before the schema is asked (PLK-56), so it neither refuses nor finds them.
  "draft2020-12 properties.json: __proto__ not valid",
  "draft2020-12 properties.json: constructor not valid",
  "draft2020-12 required.json: all present",
  "draft7 properties.json: __proto__ not valid",
  "draft7 properties.json: constructor not valid",
  "draft7 required.json: all present",
  // A metaschema that switches validation off is not read.
  "draft2020-12 vocabulary.json: no validation: invalid number, but it still validates",
];

/** Required files with schemas we refuse to build, and how many of their tests that takes: nothing is ever fetched. */
const REQUIRED_REFUSALS = {
  "draft2020-12 defs.json": 2,
  "draft2020-12 refRemote.json": 31,
  "draft7 refRemote.json": 23,
};

/** Optional files: how many tests we judge otherwise. All of them accept a text that the format forbids. */
const OPTIONAL_DISAGREEMENTS = {
  "draft2020-12 optional/format/hostname.json": 23,
  "draft2020-12 optional/format/idn-email.json": 2,
  "draft2020-12 optional/format/iri-reference.json": 2,
  "draft7 optional/format/hostname.json": 23,
  "draft7 optional/format/idn-email.json": 2,
  "draft7 optional/format/iri-reference.json": 2,
};

/** Optional files: schemas that look into keywords of no meaning, which the validator does not read. */
const OPTIONAL_REFUSALS = {
  "draft2020-12 optional/refOfUnknownKeyword.json": 2,
  "draft2020-12 optional/unknownKeyword.json": 3,
  "draft7 optional/unknownKeyword.json": 3,
};

interface Verdict {
  place: string;
  name: string;
  optional: boolean;
  outcome: "agree" | "disagree" | "refused";
  valid: boolean;
}

describe.skipIf(!hasShared)("JSON Schema test suite", () => {
  const verdicts = hasShared ? judgeAll() : [];
  const pick = (optional: boolean, outcome: Verdict["outcome"]) =>
    verdicts.filter((verdict) => verdict.optional === optional && verdict.outcome === outcome);

  it("has 1,468 tests, of which we agree with 1,343", () => {
    expect(verdicts).toHaveLength(1_468);
    expect(verdicts.filter(({ outcome }) => outcome === "agree")).toHaveLength(1_343);
  });

  it("required files agree but for the listed tests", () => {
    expect(pick(false, "disagree").map(({ name }) => name)).toEqual(expect.arrayContaining(REQUIRED_DISAGREEMENTS));
    expect(pick(false, "disagree")).toHaveLength(REQUIRED_DISAGREEMENTS.length);
  });

  it("required schemas are all usable but those that refer to another document", () => {
    expect(countByPlace(pick(false, "refused"))).toEqual(REQUIRED_REFUSALS);
  });

  it("optional files differ only in formats, always by accepting", () => {
    expect(countByPlace(pick(true, "disagree"))).toEqual(OPTIONAL_DISAGREEMENTS);
    expect(pick(true, "disagree").filter(({ valid }) => valid)).toEqual([]);
  });

  it("optional schemas are all usable but those that depend on unknown keywords", () => {
    expect(countByPlace(pick(true, "refused"))).toEqual(OPTIONAL_REFUSALS);
  });
});

function judgeAll(): Verdict[] {
  const files = readSharedLines<SuiteFile>("data/hostile/json-schema-test-suite.jsonl.gz");
  return files.flatMap(({ draft, file, optional, groups }) => {
    const place = `${draft} ${file}`;
    return groups.flatMap(({ schema, tests }) =>
      tests.map((test) => ({
        place,
        name: `${place}: ${test.description}`,
        optional,
        outcome: judge(draft, schema, test),
        valid: test.valid,
      })),
    );
  });
}

function judge(
  draft: SuiteFile["draft"],
  schema: JsonObject | boolean,
  { data, valid }: SuiteTest,
): Verdict["outcome"] {
  const isObject = typeof data === "object" && data !== null && !Array.isArray(data);
  let check: ArgumentCheck;
  try {
    check = createArgumentCheck("suite", isObject ? direct(draft, schema) : asProperty(draft, schema));
  } catch (error) {
    if (error instanceof AgentError && error.code === "invalid-options") return "refused";
    throw error;
  }
  try {
    check(isObject ? data : { value: data });
    return valid ? "agree" : "disagree";
  } catch (error) {
    if (!(error instanceof ToolArgError)) throw error;
    return valid ? "disagree" : "agree";
  }
}

function dialect(draft: SuiteFile["draft"]): JsonObject {
  return {
    $schema:
      draft === "draft7" ? "http://json-schema.org/draft-07/schema#" : "https://json-schema.org/draft/2020-12/schema",
  };
}

function direct(draft: SuiteFile["draft"], schema: JsonObject | boolean): JsonObject {
  return typeof schema === "boolean" ? { ...dialect(draft), allOf: [schema] } : { ...dialect(draft), ...schema };
}

/** An `$id` of its own keeps the pointers of the inner schema relative to itself. */
function asProperty(draft: SuiteFile["draft"], schema: JsonObject | boolean): JsonObject {
  const inner = typeof schema === "boolean" ? schema : { $id: "https://example.test/inner", ...schema };
  return { ...dialect(draft), $id: "https://example.test/outer", properties: { value: inner } };
}

function countByPlace(verdicts: readonly Verdict[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { place } of verdicts) counts[place] = (counts[place] ?? 0) + 1;
  return counts;
}
