import { describe, expect, it } from "vitest";
import { MAX_TALLY_KINDS } from "../../../src/harness/limits.js";
import { createTally, isFailure, RECORDING_WORDS, REPLAY_WORDS, rowText } from "../../../src/harness/wire/tally.js";

const request = { method: "POST", path: "/v1/embeddings" };

describe("the table of requests", () => {
  it("counts by method, path and outcome, and keeps the first reason", () => {
    const tally = createTally();
    expect(tally.add({ ...request, outcome: "passed-on" }, "too large")).toBe(true);
    expect(tally.add({ ...request, outcome: "passed-on" }, "cut")).toBe(false);
    expect(tally.add({ ...request, outcome: "exchange" })).toBe(true);
    expect(tally.rows()).toEqual([
      { ...request, outcome: "passed-on", count: 2, reason: "too large" },
      { ...request, outcome: "exchange", count: 1 },
    ]);
  });

  it("says each row in words", () => {
    const refused = { ...request, outcome: "refused", status: 404, code: "unknown-path", count: 2 } as const;
    expect(rowText(refused, REPLAY_WORDS)).toBe("POST /v1/embeddings refused with 404 unknown-path: 2 times");
    expect(rowText({ ...request, outcome: "exchange", count: 1 }, RECORDING_WORDS)).toBe(
      "POST /v1/embeddings recorded as an exchange: 1 time",
    );
  });

  it("fails a run for what was lost, passed on, refused or missed, and for nothing else", () => {
    const outcomes = [
      "turn",
      "exchange",
      "lost",
      "passed-on",
      "refused",
      "missed",
      "failed",
      "passed",
      "fault",
      "probe",
    ] as const;
    expect(outcomes.filter((outcome) => isFailure({ ...request, outcome }))).toEqual([
      ...["lost", "passed-on", "refused", "missed"],
    ]);
  });

  it("stays bounded", () => {
    const tally = createTally();
    const more = 5;
    for (let index = 0; index < MAX_TALLY_KINDS + more; index++) {
      tally.add({ method: "GET", path: `/${index}`, outcome: "exchange" });
    }
    expect(tally.rows()).toHaveLength(MAX_TALLY_KINDS + 1);
    expect(tally.rows().at(-1)).toEqual({ method: "*", path: "(other paths)", outcome: "exchange", count: more });
  });
});
