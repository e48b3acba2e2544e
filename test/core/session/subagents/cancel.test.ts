// A job that is cancelled while its model's answer is on its way: the recording counts the answer, so that a replay stops behind it.

import { expect, it } from "vitest";
import { Agent } from "../../../../src/core/session/agent.js";
import type { LlmTurnRequest, LlmTurnResponse } from "../../../../src/core/model/provider.js";
import type { SessionNote } from "../../../../src/core/session/subagents/arrivals.js";
import { ask, quietPorts, say } from "../../../support/script.js";
import { scriptedAgent } from "../../../support/sessions.js";
import { launch, taskIdsIn } from "../../../support/subagents.js";

it.each([0, 20])("PSS-40 PSS-57 counts an answer that comes %i ms after the cancellation", async (ms) => {
  const notes: SessionNote[] = [];
  const helper = new Agent({
    name: "helper",
    description: "Helps.",
    ports: quietPorts(),
    model: {
      turn: ({ signal }: LlmTurnRequest) =>
        new Promise<LlmTurnResponse>((resolve) =>
          signal?.addEventListener("abort", () => setTimeout(resolve, ms, say("late"))),
        ),
    },
  });
  const cancel = ({ messages }: LlmTurnRequest) =>
    ask([{ name: "background_cancel", arguments: { task_id: taskIdsIn(messages)[0] ?? "" } }]);
  const { agent } = scriptedAgent([ask([launch("helper")]), cancel, say("done")], {
    subagents: [helper],
    onNote: (note) => void notes.push(note),
  });
  expect(await (await agent.send("go")).result()).toMatchObject({ status: "completed" });
  expect(notes.flatMap((note) => (note.type === "arrival" ? [note.arrival] : []))).toEqual([
    { session: 0, task: expect.stringMatching(/^bg_/) as string, at: "1.1.call.0", steps: 1 },
  ]);
});
