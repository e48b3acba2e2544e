import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildCassette, cassetteProvider } from "../../../src/cassette/index.js";
import { echoProvider } from "../../../src/core/providers/echo.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import "../../../src/entry/vitest.js";
import { createUseCassette } from "../../../src/harness/index.js";
import { nodeFiles } from "../../../src/host/index.js";
import { refusal } from "../../support/refusal.js";
import { lookupRun, record, replay, run } from "../vitest/runs.js";
import { say } from "../../support/script.js";

const useCassette = createUseCassette({ files: nodeFiles(), environment: {} });
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "playhead-consume-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("toConsumeCassette", () => {
  it("passes when every recorded turn was replayed", async () => {
    const { provider } = await replay((await lookupRun()).cassette);
    expect(provider).toConsumeCassette();
  });

  it("fails naming the turns that are left, and what to do", async () => {
    const provider = cassetteProvider((await lookupRun()).cassette);
    expect(refusal(() => expect(provider).toConsumeCassette())).toMatchObject({
      message:
        "expected the run to use its whole cassette, but 2 of 2 recorded turns were never requested: turn 0, 1\n" +
        "  to do    The run ended sooner than the recorded one. Undo the change, or record again.",
      actual: { remaining: 2 },
      expected: { remaining: 0 },
    });
    expect(provider).not.toConsumeCassette();
  });

  it("says under .not that nothing is left", async () => {
    const two = (await replay((await lookupRun()).cassette)).provider;
    const one = (await replay((await record([say("hello")])).cassette)).provider;
    expect(refusal(() => expect(two).not.toConsumeCassette())).toMatchObject({
      message:
        "expected unused turns in the cassette, but the run used all 2 recorded turns.\n" +
        "Remove .not, or end the run before the recorded one ended.",
    });
    expect(refusal(() => expect(one).not.toConsumeCassette())).toMatchObject({
      message: expect.stringContaining("but the run used the only recorded turn."),
    });
  });

  it("holds in a test that records its cassette, once a turn is recorded, and then replays it", async () => {
    const file = join(folder, "handle.cassette.json");
    const recording = await useCassette(file, echoProvider, { mode: "record" });
    expect(refusal(() => expect(recording).toConsumeCassette())).toMatchObject({
      message: expect.stringContaining("but no turn was recorded.\nPass the provider of useCassette to the agent"),
    });
    await run(recording.provider);
    expect(recording).toConsumeCassette();
    expect(refusal(() => expect(recording).not.toConsumeCassette())).toMatchObject({
      message: expect.stringContaining("but it is being recorded (1 turn so far)"),
    });
    await recording.done();

    const replaying = await useCassette(file, echoProvider, { mode: "replay" });
    expect(replaying).not.toConsumeCassette();
    await run(replaying.provider);
    expect(replaying).toConsumeCassette();
  });

  it("holds in a live test, which has no cassette", async () => {
    const handle = await useCassette(join(folder, "live.cassette.json"), echoProvider, { mode: "live" });
    expect(handle).toConsumeCassette();
    expect(refusal(() => expect(handle).not.toConsumeCassette())).toMatchObject({
      message: expect.stringContaining("the handle is live and has no cassette"),
    });
  });

  it("refuses what replays nothing, also under .not", async () => {
    const { cassette, recorder, result } = await lookupRun();
    const empty = buildCassette(
      { recordedAt: "2026-11-20T12:00:00.000Z", recordedProvider: "none", cassetteId: "0".repeat(32) },
      [],
    );
    const cases: [unknown, string][] = [
      [cassette, "was given a cassette, which is not being replayed"],
      [recorder, "was given a recorder, which has no recorded turns"],
      [result, "was given an object with agentId"],
      [scriptedProvider([]), "was given an object with name, turn, remaining"],
      [null, "was given null"],
      [cassetteProvider(empty), "the cassette has no turns"],
    ];
    for (const [wrong, words] of cases) {
      for (const assertion of [expect(wrong), expect(wrong).not]) {
        expect(refusal(() => assertion.toConsumeCassette())).toMatchObject({
          code: "matcher-misuse",
          message: expect.stringContaining(words),
        });
      }
    }
  });
});
