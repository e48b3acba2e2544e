import { describe, expect, it } from "vitest";
import { HarnessError } from "../../../src/harness/errors.js";
import { CASSETTE_MODES, isCI, resolveMode } from "../../../src/harness/cassette/mode.js";
import { refusal } from "../../support/refusal.js";

describe("resolveMode", () => {
  it("replays where nothing is said", () => {
    expect(resolveMode({})).toBe("replay");
    expect(resolveMode({ CASSETTE_MODE: "" })).toBe("replay");
    expect(resolveMode({ CASSETTE_MODE: undefined, CI: undefined })).toBe("replay");
  });

  it.each(CASSETTE_MODES)("takes %s from CASSETTE_MODE and from the option", (mode) => {
    expect(resolveMode({ CASSETTE_MODE: mode })).toBe(mode);
    expect(resolveMode({}, mode)).toBe(mode);
  });

  it("lets the option win over CASSETTE_MODE, even over one that is not a mode", () => {
    expect(resolveMode({ CASSETTE_MODE: "record" }, "replay")).toBe("replay");
    expect(resolveMode({ CASSETTE_MODE: "nonsense" }, "live")).toBe("live");
  });

  it.each(["Record", "playback", " replay", "toString", "none"])(
    "refuses %j, and names the modes there are",
    (word) => {
      const error = refusal(() => resolveMode({ CASSETTE_MODE: word })) as HarnessError;
      expect(error).toBeInstanceOf(HarnessError);
      expect(error.code).toBe("mode-unknown");
      expect(error.message).toBe(
        `${JSON.stringify(word)} is not a cassette mode. Use one of replay, record, refresh, from-first-miss, auto, live, fork.`,
      );
      expect((refusal(() => resolveMode({}, word)) as HarnessError).code).toBe("mode-unknown");
    },
  );
});

describe("resolveMode in CI", () => {
  it.each(["true", "1"])("never records with CI=%s, be it asked by variable or by option", (CI) => {
    for (const mode of ["record", "refresh"]) {
      for (const ask of [() => resolveMode({ CI, CASSETTE_MODE: mode }), () => resolveMode({ CI }, mode)]) {
        const error = refusal(ask) as HarnessError;
        expect([error.code, error.hint]).toEqual([
          "record-in-ci",
          "Record on your own machine, review the cassette and commit it.",
        ]);
        expect(error.message).toContain(`mode ${mode} would record, but CI is set and CI never records`);
      }
    }
  });

  it("takes auto for replay, and leaves replay and live", () => {
    expect(["auto", "replay", "live"].map((mode) => resolveMode({ CI: "true" }, mode))).toEqual([
      "replay",
      "replay",
      "live",
    ]);
  });

  it.each([undefined, "", "false", "0"])("is not there with CI=%j", (CI) => {
    expect(isCI({ CI })).toBe(false);
    expect(resolveMode({ CI }, "record")).toBe("record");
    expect(resolveMode({ CI }, "auto")).toBe("auto");
  });
});
