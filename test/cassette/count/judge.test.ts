import { expect, it } from "vitest";
import { isJudgeRecording } from "../../../src/cassette/count/judge.js";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import { recordingProvider } from "../../../src/cassette/record/recording-provider.js";
import type { JsonObject } from "../../../src/core/index.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { judgeRecording } from "../../support/judge.js";
import { prompt } from "../../support/recording.js";
import { say } from "../../support/script.js";

/** A recording with a request for each list of properties, or without a format. */
async function asking(...formats: (JsonObject | undefined)[]): Promise<CassetteV2> {
  const recorder = recordingProvider(scriptedProvider(formats.map(() => say("yes"))));
  for (const properties of formats) {
    const schema = { type: "object", ...(properties === undefined ? {} : { properties }) };
    const settings = properties === undefined ? {} : { responseFormat: { name: "grade", schema } };
    await recorder.turn({ ...prompt("Is it right?"), settings });
  }
  return recorder.toCassette();
}

const [reason, grade] = [{ type: "string" }, { type: "integer" }];

it("recognises the recordings of createJudge, whatever the name of the format is", async () => {
  expect(isJudgeRecording(await judgeRecording())).toBe(true);
  expect(isJudgeRecording(await asking({ grade, reason }, { reason, grade }))).toBe(true);
});

it.each([
  ["asks for no format", [undefined]],
  ["asks for a grade once", [{ reason, grade }, undefined]],
  ["asks for more", [{ reason, grade, price: grade }]],
  ["asks for a grade in words", [{ reason, grade: reason }]],
])("takes a run that %s for an agent's", async (_, formats) => {
  expect(isJudgeRecording(await asking(...formats))).toBe(false);
});

it("takes a recording without its requests for an agent's", () => {
  expect(isJudgeRecording({ version: 1, recordedAt: "", recordedProvider: "", entries: [] })).toBe(false);
});
