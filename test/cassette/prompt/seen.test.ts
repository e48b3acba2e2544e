import { describe, expect, it } from "vitest";
import { recordingProvider } from "../../../src/cassette/record/record.js";
import { createSeenPrompt } from "../../../src/cassette/prompt/seen.js";
import { seal } from "../../../src/core/canon/copy.js";
import { hashJson } from "../../../src/core/canon/digest.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import { echoProvider } from "../../../src/core/providers/echo.js";

const user = (content: string): LlmMessage => ({ role: "user", content });

describe("createSeenPrompt", () => {
  const [a, b, c] = [seal(user("a")), seal(user("b")), user("c")] as const;

  /** How much is known of the second prompt. */
  function knownOf(first: unknown[], second: unknown[]): number {
    const seen = createSeenPrompt();
    seen.begin(first);
    seen.take();
    return seen.begin(second).known;
  }

  it("knows the leading messages that are sealed and the very ones", () => {
    expect(knownOf([a, b], [a, b, c])).toBe(2);
    expect(knownOf([a, b], [a, seal(user("b"))])).toBe(1);
    expect(knownOf([a, c, b], [a, c, b])).toBe(1);
    expect(knownOf([a, b], [b, a])).toBe(0);
  });

  it("knows nothing where the last prompt was not taken", () => {
    const seen = createSeenPrompt();
    seen.begin([a, b]);
    seen.take();
    seen.begin([a, b]);
    expect(seen.begin([a, b]).known).toBe(0);
  });

  it("ends at what is no message, however long the list says it is", () => {
    const endless = [a];
    endless.length = 2 ** 32 - 1;
    expect(createSeenPrompt().begin(endless).list).toEqual([a, undefined]);
  });
});

it.each([0, 1, 2, 3, 4, 5, 6])("PLK-110 a list that changes at read %i hashes as what was read", async (flip) => {
  const [system, first, second] = [seal(user("s")), seal(user("first")), seal(user("second"))] as const;
  let reads = 0;
  const fickle = new Proxy([system, first], {
    get: (list, key): unknown => (key === "1" ? (reads++ < flip ? first : second) : Reflect.get(list, key)),
  });
  const recorder = recordingProvider(echoProvider(), { redact: false });
  await recorder.turn({ messages: fickle });
  await recorder.turn({ messages: [system, second] });
  expect(recorder.toCassette().entries[1]?.promptHash).toBe(hashJson([system, second]));
});
