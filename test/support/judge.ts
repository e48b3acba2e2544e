// The recording of a judge, as `createJudge` makes it.

import type { CassetteV2 } from "../../src/cassette/file/format.js";
import { recordingProvider } from "../../src/cassette/record/recording-provider.js";
import { scriptedProvider } from "../../src/core/providers/scripted.js";
import { createJudge } from "../../src/harness/scores/judge.js";
import { say } from "./script.js";

export async function judgeRecording(grade = 4): Promise<CassetteV2> {
  const recorder = recordingProvider(scriptedProvider([say(JSON.stringify({ reason: "It is right.", grade }))]));
  await createJudge({ provider: recorder, rubric: "Is it right?", repeats: 1 }).grade({ answer: "30 days" });
  return recorder.toCassette();
}
