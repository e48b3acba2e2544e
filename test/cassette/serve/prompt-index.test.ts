import { expect, it } from "vitest";
import { createPromptIndex } from "../../../src/cassette/serve/prompt-index.js";
import { toAsked } from "../../../src/cassette/serve/asked.js";
import { serveCassette } from "../../../src/cassette/serve/served-cassette.js";
import { VENDORS } from "../../../src/core/vendors/vendors.js";
import { prompt, recordTurns } from "../../support/recording.js";
import { say } from "../../support/script.js";

const asked = (text: string) =>
  toAsked(VENDORS.openai, { messages: [...prompt(text).messages], settings: { model: "m" } });

async function recorded(texts: string[], hashFilter?: ["isoDate"]) {
  const options = hashFilter === undefined ? {} : { hashFilter };
  return recordTurns(
    texts.map((text) => prompt(text)),
    texts.map((text) => say(text)),
    options,
  );
}

it("lists the cassettes with a prompt in their order, however they filter it", async () => {
  const cassettes = [
    await recorded(["on 2026-01-01"], ["isoDate"]),
    await recorded(["on 2026-01-02", "else"]),
    await recorded(["else"], ["isoDate"]),
    await recorded(["on 2026-01-03", "on 2026-01-04"], ["isoDate"]),
  ];
  const all = cassettes.map((cassette, index) => serveCassette(cassette, `${index}`, []));
  const find = createPromptIndex(all);
  const files = (text: string): string[] => find(asked(text)).map(({ served }) => served.file);
  expect(files("on 2026-01-02")).toEqual(["0", "1", "3"]);
  expect(files("on 2026-01-09")).toEqual(["0", "3"]);
  expect(files("else")).toEqual(["1", "2"]);
  expect(files("other")).toEqual([]);
});

it("gives each cassette the request as it reads it", async () => {
  const all = [await recorded(["on 2026-01-01"], ["isoDate"]), await recorded(["on 2026-01-05"])].map(
    (cassette, index) => serveCassette(cassette, `${index}`, []),
  );
  const readings = createPromptIndex(all)(asked("on 2026-01-05"));
  expect(readings.map(({ served, asked }) => served.findExact(asked)?.turnIndex)).toEqual([0, 0]);
});
