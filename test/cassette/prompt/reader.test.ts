import { describe, expect, it } from "vitest";
import { recordingProvider } from "../../../src/cassette/record/recording-provider.js";
import { createPromptReader } from "../../../src/cassette/prompt/reader.js";
import { keepMessages } from "../../../src/cassette/redact/redactor.js";
import { seal } from "../../../src/core/canon/copy.js";
import { hashJson } from "../../../src/core/canon/digest.js";
import type { LlmMessage } from "../../../src/core/model/message.js";
import { echoProvider } from "../../../src/core/providers/echo.js";

const user = (content: string): LlmMessage => ({ role: "user", content });

describe("createPromptReader", () => {
  const [a, b, c] = [seal(user("a")), seal(user("b")), user("c")] as const;

  /** A reader, and how many messages were known of each prompt it read. */
  function watched() {
    const known: number[] = [];
    const reader = createPromptReader({
      scrub: (messages, before = []) => {
        known.push(before.length);
        return keepMessages(messages, before);
      },
    });
    return { reader, known };
  }

  function knownOf(first: unknown[], second: unknown[]): number | undefined {
    const { reader, known } = watched();
    for (const prompt of [first, second]) {
      reader.begin(prompt);
      reader.next();
    }
    return known[1];
  }

  it("knows the leading messages that are sealed and the very ones", () => {
    expect(knownOf([a, b], [a, b, c])).toBe(2);
    expect(knownOf([a, b], [a, seal(user("b"))])).toBe(1);
    expect(knownOf([a, c, b], [a, c, b])).toBe(1);
    expect(knownOf([a, b], [b, a])).toBe(0);
  });

  it("knows nothing where the last prompt was not taken", () => {
    const { reader, known } = watched();
    reader.begin([a, b]);
    reader.next();
    reader.begin([a, b]);
    reader.begin([a, b]);
    reader.next();
    expect(known).toEqual([0, 0]);
  });

  it("hashes again what was scrubbed into another list", () => {
    const texts = ["x", "y"];
    const reader = createPromptReader({
      scrub: (messages) => messages.map(() => user(texts.shift() ?? "")),
    });
    reader.begin([a]);
    expect(reader.next()).toEqual({ keep: 0, promptHash: hashJson([user("x")]) });
    expect(reader.next()).toEqual({ keep: 0, promptHash: hashJson([user("y")]) });
    expect(reader.since(0)).toEqual([user("y")]);
  });

  it("ends at a value that is not a message, however long the list says it is", () => {
    const endless = [a];
    endless.length = 2 ** 32 - 1;
    expect(() => createPromptReader().begin(endless)).toThrow("item 1 is undefined");
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
