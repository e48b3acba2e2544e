import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { createPromptFiles } from "../../src/host/prompt-files.js";
import { depsOf, execute, vertexOf } from "../support/vertex.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { watchedScript, say } from "../support/script.js";

const folder = temporaryFolder();
afterAll(() => folder.remove());
const signal = new AbortController().signal;

mkdirSync(folder.path("prompts"));
writeFileSync(folder.path("prompts/style.md"), "Short {{ inputs.key }} words.");
writeFileSync(folder.path("prompts/large.md"), "x".repeat(101));
writeFileSync(folder.path("prompts/binary"), Uint8Array.of(255, 254));
writeFileSync(folder.path("outside.md"), "secret");
symlinkSync(folder.path("outside.md"), folder.path("prompts/link.md"));

describe("createPromptFiles", () => {
  const files = () => createPromptFiles({ root: folder.path("prompts"), maxBytes: 100 });

  it("REL-17 reads a text file below its folder into a prompt, once", async () => {
    const provider = watchedScript([say("Ok.")]);
    const node = { prompt_template: '{{ "style.md" }}: {{ inputs.file | read_file }}' };
    const deps = depsOf({ first: provider }, { resolverCapabilities: files() });
    const { outcome } = await execute(deps, vertexOf(node), { inputs: { file: "style.md" } });
    expect(outcome.kind).toBe("completed");
    expect(provider.asked[0]?.messages.at(-1)).toEqual({
      role: "user",
      content: "style.md: Short {{ inputs.key }} words.",
    });
  });

  it.each(["../outside.md", "link.md", "absent.md", "large.md", "binary", ".", "https://example.com/a"])(
    "refuses %s",
    async (path) => {
      await expect(files().readFile(path, signal)).rejects.toMatchObject({ code: "invalid-options" });
    },
  );

  it("refuses wrong options and does not read after an abort", async () => {
    expect(() => createPromptFiles({ root: "" })).toThrow("root of createPromptFiles");
    expect(() => createPromptFiles({ root: folder.path("absent") })).toThrow("not a folder");
    expect(() => createPromptFiles({ root: folder.path("."), maxBytes: 0 })).toThrow("maxBytes");
    expect(() => createPromptFiles({ root: folder.path("."), max: 1 } as never)).toThrow("unknown option");
    await expect(files().readFile("style.md", AbortSignal.abort())).rejects.toThrow();
  });
});
