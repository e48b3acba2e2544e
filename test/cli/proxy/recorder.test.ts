import { expect, it } from "vitest";
import { MAX_OPEN_CONVERSATIONS } from "../../../src/cli/limits.js";
import { createProxyRecorder } from "../../../src/cli/proxy/recorder.js";
import { createHeldConversations, VENDORS } from "../../../src/core/index.js";
import { readTurn } from "../../../src/harness/index.js";

it("forgets the oldest written conversations beyond the limit, and says so once", async () => {
  const quiet = () => undefined;
  let closed = 0;
  const recorder = createProxyRecorder({
    ...{ lost: quiet, without: quiet, passedOn: quiet, exchanged: quiet, kept: quiet },
    closed: () => void closed++,
  });
  const held = createHeldConversations();
  const wire = VENDORS.openai;
  const answer = (content: string) => ({
    ...{ status: 200, headers: {}, isCut: false, isLeft: false, isStream: false, parts: [] },
    bytes: new TextEncoder().encode(
      JSON.stringify({ choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }] }),
    ),
  });
  const open = async (...texts: string[]) => {
    const messages = texts.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content }));
    const body = new TextEncoder().encode(JSON.stringify({ model: "m", messages }));
    const path = "/chat/completions";
    const read = await readTurn(wire, body, path, held);
    return recorder.turn({ method: "POST", path, url: path, type: "application/json", body, wire, read, held });
  };
  const waiting = await open("waits");
  for (let index = 1; index <= MAX_OPEN_CONVERSATIONS + 2; index++)
    (await open(`question ${index}`)).answered(answer("yes"));
  for (let index = 0; index <= MAX_OPEN_CONVERSATIONS + 2; index++) recorder.written(index);
  expect(closed).toBe(1);
  // The first one has an open turn.
  const isKnown = (index: number): boolean => recorder.toCassette(index) !== undefined;
  expect([1, 2, 3, 4].map(isKnown)).toEqual([false, false, false, true]);
  waiting.answered(answer("no"));
  expect(isKnown(0)).toBe(true);
  // A turn that continues a forgotten conversation begins another one.
  (await open("question 1", "yes", "more")).answered(answer("yes"));
  expect(recorder.toCassette(MAX_OPEN_CONVERSATIONS + 3)?.entries).toHaveLength(1);
});
