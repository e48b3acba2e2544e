import { describe, expect, it } from "vitest";
import { createProgress } from "../../../src/cli/terminal/progress.js";
import { nodeFiles } from "../../../src/host/files.js";

function progressAt(stderrIsTTY: boolean, env: Readonly<Record<string, string>> = { TERM: "xterm" }) {
  const clock = { ms: 0 };
  const written: string[] = [];
  const io = {
    stdout: () => undefined,
    stderr: (text: string) => void written.push(text),
    env,
    cwd: "/",
    isTTY: true,
    stderrIsTTY,
    files: nodeFiles(),
  };
  return { clock, written, progress: createProgress(io, "verifying", () => clock.ms) };
}

describe("createProgress", () => {
  it("writes nothing for work of less than a second, and has nothing to clear", () => {
    const { clock, written, progress } = progressAt(true);
    clock.ms = 999;
    progress.step(5, 10);
    progress.clear();
    expect(written).toEqual([]);
  });

  it("shows a line after a second and clears it", () => {
    const { clock, written, progress } = progressAt(true);
    clock.ms = 1_000;
    progress.step(5, 10);
    progress.step(6, 10);
    clock.ms = 1_100;
    progress.step(7, 10);
    progress.clear();
    expect(written).toEqual(["\r\u001b[2Kverifying 5/10", "\r\u001b[2Kverifying 7/10", "\r\u001b[2K"]);
  });

  it("writes nothing if stderr is not a terminal", () => {
    const { clock, written, progress } = progressAt(false);
    clock.ms = 5_000;
    progress.step(5, 10);
    progress.clear();
    expect(written).toEqual([]);
  });

  it.each<Readonly<Record<string, string>>>([{ TERM: "dumb" }, { CI: "true" }, { CI: "1" }, { NO_COLOR: "1" }])(
    "writes nothing to a terminal that nobody watches or that takes no escapes: %j",
    (env) => {
      const { clock, written, progress } = progressAt(true, env);
      clock.ms = 5_000;
      progress.step(5, 10);
      progress.clear();
      expect(written).toEqual([]);
    },
  );

  it.each<Readonly<Record<string, string>>>([{}, { CI: "" }, { CI: "false" }, { NO_COLOR: "" }])(
    "is not put off by %j",
    (env) => {
      const { clock, written, progress } = progressAt(true, env);
      clock.ms = 5_000;
      progress.step(5, 10);
      expect(written).toHaveLength(1);
    },
  );
});
