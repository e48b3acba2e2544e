import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { PluckOptions } from "../../src/core/index.js";
import { createPluck } from "../../src/host/pluck.js";
import { VerbError } from "../../src/host/verbs/error.js";
import { agent } from "../support/agents.js";
import { refusal, rejection } from "../support/refusal.js";
import { ask, quietPorts, say, watchedScript } from "../support/script.js";
import { verbBodies } from "../support/verbs.js";

let folder = "";
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "playhead-pluck-")));
  await writeFile(join(folder, "letter.txt"), "Dear Ann");
  vi.spyOn(process, "cwd").mockReturnValue(folder);
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

/** What an agent is offered, and what it reads after asking for the letter. */
async function lookAt(part: Parameters<typeof agent>[1] = {}, options: PluckOptions = {}) {
  const provider = watchedScript([
    ask([
      { name: "extract", arguments: { uri: "letter.txt" } },
      { name: "act", arguments: { uri: "new.txt", action: "write", input: "x" } },
    ]),
    say("done"),
  ]);
  const runtime = createPluck({ ports: quietPorts(), ...options }).runtime({ agents: [agent(provider, part)] });
  const { messages } = await runtime.run({ goal: "g" });
  return {
    offered: provider.asked[0]?.tools?.map(({ name }) => name),
    read: messages.flatMap((message) => (message.role === "tool" ? [String(message.content)] : [])),
  };
}

describe("createPluck of the host", () => {
  it("PLK-08 PLK-13 PLK-43 has the verbs in place, and offers the seven that only read to an agent that names none", async () => {
    const { offered, read } = await lookAt();
    expect(offered).toEqual(["connect", "extract", "shape", "sense", "probe", "context", "dowse"]);
    expect(read).toEqual([expect.stringContaining("Dear Ann"), "tool unavailable"]);
    expect(await rejection(readFile(join(folder, "new.txt")))).toMatchObject({ code: "ENOENT" });
  });

  it("PLK-44 lets an agent act that lists it", async () => {
    const { offered, read } = await lookAt({ tools: ["act"] });
    expect(offered).toEqual(["act"]);
    expect(read[0]).toBe("tool unavailable");
    expect(await readFile(join(folder, "new.txt"), "utf8")).toBe("x");
  });

  it("reads below the folder that was current when it was made, and nothing above it", async () => {
    const pluck = createPluck();
    vi.spyOn(process, "cwd").mockReturnValue(tmpdir());
    expect(await pluck.extract({ uri: "letter.txt" })).toMatchObject({ text: "Dear Ann" });
    expect(await rejection(pluck.extract({ uri: "../letter.txt" }))).toBeInstanceOf(VerbError);
  });

  it.each([
    ["the root of the file system", () => "/"],
    ["the home folder", () => folder],
    ["a link to the home folder", () => join(folder, "link")],
  ])("opens no folder where the current one is %s", async (_what, current) => {
    await symlink(folder, join(folder, "link"));
    vi.stubEnv("HOME", folder);
    vi.spyOn(process, "cwd").mockReturnValue(current());
    const error = await rejection(createPluck().extract({ uri: "letter.txt" }));
    expect(error).toBeInstanceOf(VerbError);
    await mkdir(join(folder, "project"));
    await writeFile(join(folder, "project", "letter.txt"), "Dear Bob");
    vi.spyOn(process, "cwd").mockReturnValue(join(folder, "project"));
    expect(await createPluck().extract({ uri: "letter.txt" })).toMatchObject({ text: "Dear Bob" });
  });

  it("takes the caller's verbs instead of its own", async () => {
    const { read } = await lookAt({}, { verbs: verbBodies() });
    expect(read[0]).toBe("extract was here");
  });

  it("refuses an unknown option", () => {
    expect(refusal(() => createPluck({ root: "." } as PluckOptions))).toMatchObject({ code: "invalid-options" });
  });
});
