// The scores of a run: which names and values are taken, and how a recording keeps them.

import { describe, expect, it } from "vitest";
import { createCassetteStore, recordingProvider } from "../../../src/cassette/index.js";
import { echoProvider } from "../../../src/core/index.js";
import { createUseCassette } from "../../../src/harness/cassette/use-cassette.js";
import { memoryFiles } from "../../../src/harness/doubles/files.js";
import { MAX_GRADES, MAX_SCORES } from "../../../src/harness/limits.js";
import { createScoreSheet, scoresOf } from "../../../src/harness/scores/scores.js";

const FILE = "a.cassette.json";

async function recordWith(score: (add: (name: string, value: number | number[]) => void) => void) {
  const files = memoryFiles();
  const handle = await createUseCassette({ files, environment: {} })(FILE, echoProvider, { mode: "record" });
  await handle.provider.turn({ messages: [{ role: "user", content: "hi" }] });
  score(handle.score);
  await handle.done();
  return { files, cassette: await createCassetteStore(files).load(FILE), handle };
}

describe("a score", () => {
  const add = (name: unknown, value: unknown) => () => createScoreSheet().add(name as string, value as number);

  it.each([
    [NaN, "the score helpful is the number NaN"],
    [Infinity, "the score helpful is the number Infinity"],
    [-Infinity, "the score helpful is the number -Infinity"],
    [1e13, "the score helpful is the number 10000000000000"],
    ["0.5", 'the score helpful is the text "0.5"'],
    [undefined, "the score helpful is undefined"],
    [[], "the score helpful has 0 grades"],
    [[1, NaN], "a grade of the score helpful is the number NaN"],
    // eslint-disable-next-line no-sparse-arrays -- A hole is a mistake too.
    [[1, , 2], "a grade of the score helpful is undefined"],
    [Array.from({ length: MAX_GRADES + 1 }, () => 1), `the score helpful has ${MAX_GRADES + 1} grades`],
  ])("%s is refused", (value, message) => {
    expect(add("helpful", value)).toThrow(expect.objectContaining({ code: "invalid-options" }));
    expect(add("helpful", value)).toThrow(message);
  });

  it.each(["", "a b", "a:b", "a,b", "-a", "__proto__", "a\n", "a".repeat(61), 1, undefined])(
    "with the name %j is refused",
    (name) => {
      expect(add(name, 1)).toThrow("the name of a score is");
    },
  );

  it("may be zero or negative, and its name may have letters of any language", () => {
    const sheet = createScoreSheet();
    for (const name of ["helpful", "größe", "a.b-c_1", "正確さ", "constructor"]) sheet.add(name, -1);
    sheet.add("zero", 0);
    expect(Object.keys(sheet.all() ?? {})).toHaveLength(6);
  });

  it("is given once, and a run has no more than the limit", () => {
    const sheet = createScoreSheet();
    for (let index = 0; index < MAX_SCORES; index++) sheet.add(`s${index}`, index);
    expect(() => sheet.add("s0", 1)).toThrow("this run already has the score s0");
    expect(() => sheet.add("more", 1)).toThrow(`a run has more than ${MAX_SCORES} scores`);
  });
});

describe("a recording", () => {
  it("keeps scores and grades, and a replay checks them and changes nothing", async () => {
    const { files, cassette } = await recordWith((add) => {
      add("helpful", 0.75);
      add("judged", [4, 5]);
    });
    expect(cassette).toMatchObject({ extensions: { scores: { helpful: 0.75, judged: [4, 5] } } });
    expect([...scoresOf(cassette)]).toEqual([
      ["helpful", [0.75]],
      ["judged", [4, 5]],
    ]);
    const before = await files.read(FILE, 1e6);
    const replay = await createUseCassette({ files, environment: {} })(FILE, echoProvider, { mode: "replay" });
    await replay.provider.turn({ messages: [{ role: "user", content: "hi" }] });
    replay.score("other", 1);
    expect(() => replay.score("other", 2)).toThrow("already has the score");
    await replay.done();
    expect(() => replay.score("late", 1)).toThrow("came after the run was over");
    expect(await files.read(FILE, 1e6)).toEqual(before);
  });

  it("without scores has the extensions it had before", async () => {
    const { cassette } = await recordWith(() => undefined);
    expect(Object.keys(cassette.version === 2 ? (cassette.extensions ?? {}) : {})).toEqual([
      "createdWith",
      "prompts",
      "contexts",
    ]);
  });

  it("may hold other things under the name, which are not scores", async () => {
    const recorder = recordingProvider(echoProvider());
    await recorder.turn({ messages: [{ role: "user", content: "hi" }] });
    const read = (scores: unknown) => [...scoresOf(recorder.toCassette({ extensions: { scores } })).keys()];
    expect(read({ good: 1, text: "1", list: [1, "2"], empty: [], "a b": 1, huge: 1e300 })).toEqual(["good"]);
    expect(read([1, 2])).toEqual([]);
    expect(read("good")).toEqual([]);
  });

  it("of a failed run keeps its scores", async () => {
    const files = memoryFiles();
    const handle = await createUseCassette({ files, environment: {} })(FILE, echoProvider, { mode: "record" });
    await handle.provider.turn({ messages: [{ role: "user", content: "hi" }] });
    handle.score("helpful", 0.1);
    await handle.done({ failed: true });
    const failed = await createCassetteStore(files).load("a.failed.cassette.json");
    expect(failed).toMatchObject({ extensions: { outcome: { success: false }, scores: { helpful: 0.1 } } });
  });
});
