import { describe, expect, it } from "vitest";
import { CassetteError } from "../../src/cassette/errors.js";
import { CliError, toFailure } from "../../src/cli/errors.js";
import { exitCodeOf } from "../../src/cli/exit-codes.js";
import { AgentError } from "../../src/core/errors.js";
import { HarnessError } from "../../src/harness/errors.js";

describe("exitCodeOf", () => {
  it("is 3 for a refused file, 1 for a miss, 2 for what could not run", () => {
    expect([exitCodeOf("downgrade"), exitCodeOf("too-large"), exitCodeOf("not-json")]).toEqual([3, 3, 3]);
    expect([exitCodeOf("prompt-changed"), exitCodeOf("unconsumed")]).toEqual([1, 1]);
    expect([exitCodeOf("file-not-found"), exitCodeOf("file-exists"), exitCodeOf("diff-too-large")]).toEqual([2, 2, 2]);
  });
});

describe("toFailure", () => {
  it("keeps code, file, pointer and hint of a cassette error", () => {
    const error = new CassetteError("envelope-hash", "it was changed", {
      file: "a",
      pointer: "/envelopeHash",
      hint: "Look.",
    });
    expect(toFailure(error)).toEqual({
      exitCode: 3,
      code: "envelope-hash",
      message: "it was changed",
      file: "a",
      pointer: "/envelopeHash",
      hint: "Look.",
    });
  });

  it("names the file at hand when the error names none", () => {
    expect(toFailure(new CassetteError("import-malformed", "no"), "a.json").file).toBe("a.json");
    expect(toFailure(new CassetteError("import-malformed", "no", { file: "b" }), "a.json").file).toBe("b");
  });

  it("says a harness error's hint once", () => {
    const error = new HarnessError("record-in-ci", "CI never records", "Record elsewhere.");
    expect(toFailure(error)).toEqual({
      exitCode: 2,
      code: "record-in-ci",
      message: "CI never records",
      hint: "Record elsewhere.",
    });
  });

  it("always has a hint", () => {
    for (const error of [
      new CliError("usage", "no", "Do this."),
      new AgentError("timeout", "late"),
      new HarnessError("matcher-misuse", "no"),
      new TypeError("boom"),
      "thrown text",
    ]) {
      expect(toFailure(error)).toMatchObject({ exitCode: 2, hint: expect.stringMatching(/\.$/) as string });
    }
  });
});
