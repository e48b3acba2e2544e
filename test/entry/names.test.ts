// The public names: what every door of the package exports, listed by hand in src/entry.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repositoryRoot } from "../support/built.js";
import { doorSources, readDoors } from "../support/doors.js";

/** Adding a name is a decision: users depend on it from then on. */
const MAX_NAMES = 250;
/** Doors of faces, which nobody meets who does not import them. */
const FACES = [
  ...["playhead/agent-runner", "playhead/env", "playhead/session", "playhead/plugins"],
  ...["playhead/execution", "playhead/session-store/file", "playhead/session-store/memory"],
  ...["playhead/bullmq", "playhead/postgres", "playhead/process"],
];
const MAX_FACE_NAMES = 45;

const doors = readDoors();

/** Everything a user may read: guides, the README and the example programs. */
function shownText(): string {
  const below = (folder: string, ending: string) =>
    readdirSync(join(repositoryRoot, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(ending) && !name.startsWith("api") && !name.startsWith("internal"))
      .map((name) => join(folder, name));
  return ["README.md", ...below("docs", ".md"), ...below("examples", ".mjs")]
    .map((path) => readFileSync(join(repositoryRoot, path), "utf8"))
    .join("\n");
}

describe("the public names", () => {
  it(`are at most ${MAX_NAMES}`, () => {
    const others = doors.filter(({ name }) => !FACES.includes(name));
    const names = new Set(others.flatMap(({ exports }) => exports.map(({ name }) => name)));
    expect(names.size).toBeLessThanOrEqual(MAX_NAMES);
  });

  it.each(FACES)(`are at most ${MAX_FACE_NAMES} of %s`, (face) => {
    const { exports = [] } = doors.find(({ name }) => name === face) ?? {};
    expect(exports.length).toBeGreaterThan(0);
    expect(exports.length).toBeLessThanOrEqual(MAX_FACE_NAMES);
  });

  it("are each shown in a guide or an example", () => {
    const text = shownText();
    const unseen = doors.flatMap(({ name: door, exports }) =>
      exports.filter(({ name }) => !new RegExp(`\\b${name}\\b`).test(text)).map(({ name }) => `${door} ${name}`),
    );
    expect(unseen).toEqual([]);
  });

  it("are listed by hand: no door exports another file whole, or lies outside of src/entry", () => {
    const sources = doorSources().map(({ source }) => source);
    expect(sources.filter((source) => !source.startsWith("src/entry/"))).toEqual([]);
    const stars = sources.filter((source) =>
      /^export (type )?\*/m.test(readFileSync(join(repositoryRoot, source), "utf8")),
    );
    expect(stars).toEqual([]);
  });

  it("of playhead/cassette are the same without Node, but for what reads and writes files", () => {
    const listed = (file: string) =>
      [...readFileSync(join(repositoryRoot, "src/entry", file), "utf8").matchAll(/^ {2}((?:type )?\w+),$/gm)].map(
        ([, name]) => name,
      );
    const portable = listed("cassette-portable.ts").filter((name) => name !== "recordingProvider");
    expect(listed("cassette.ts")).toEqual(expect.arrayContaining(portable));
  });
});
