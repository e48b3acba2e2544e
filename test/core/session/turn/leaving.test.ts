import { describe, expect, it } from "vitest";
import { NO_OUTCOME } from "../../../../src/core/session/turn/ending.js";
import { follow, release } from "../../../../src/core/session/turn/leaving.js";
import type { Run } from "../../../../src/core/session/run/run.js";
import type { FollowedRun } from "../../../../src/core/session/state/keeper.js";
import type { Talk } from "../../../../src/core/session/turn/talk.js";

const text = (words: string) => ({ type: "user-text" as const, text: words });
const run = { tell: () => undefined } as unknown as Run;
const talk = { unapplied: [text("mine")] } as unknown as Talk;

function followed(outcome: FollowedRun["outcome"]): FollowedRun {
  return { events: (async function* () {})(), outcome };
}

describe("a run that another process carries out", () => {
  it("gives back what was steered into this one, and what the other did not apply", async () => {
    const ended = { ...NO_OUTCOME, status: "completed" as const, unapplied: [text("theirs")] };
    const outcome = await follow(
      run,
      followed(async () => ended),
      talk,
    );
    expect(outcome).toMatchObject({ status: "completed", unapplied: [text("theirs"), text("mine")] });
  });

  it("gives it back if its outcome cannot be read, too", async () => {
    const outcome = await follow(
      run,
      followed(() => Promise.reject(new Error("gone"))),
      talk,
    );
    expect(outcome).toMatchObject({ status: "error", unapplied: [text("mine")] });
  });
});

it("a run that cannot be given back is a warning", async () => {
  const warned: unknown[] = [];
  const keeper = { suspend: () => Promise.reject(new Error("down")) } as never;
  await release(keeper, { runId: "r" } as never, { kind: "cut-off" }, (error) => warned.push(error));
  expect(warned).toMatchObject([{ message: "down" }]);
});
