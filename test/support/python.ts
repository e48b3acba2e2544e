// A Python with pytest, such as Debian's. If there is none, its tests are skipped with a message. With PLAYHEAD_REQUIRE_PYTHON=1 they
// fail instead.

import { spawnSync } from "node:child_process";
import { describe, it } from "vitest";

const CANDIDATES = [process.env["PLAYHEAD_PYTHON"], "/usr/bin/python3", "python3"];

/** The interpreter itself, because a wrapper such as pyenv's needs a PATH. Undefined if no candidate has pytest. */
export const python = interpreter(CANDIDATES.find((program) => program !== undefined && has(program, "pytest")));

/** True if the Python has these modules. */
export const pythonHas = (...modules: string[]): boolean => python !== undefined && has(python, ...modules);

function has(program: string, ...modules: string[]): boolean {
  return spawnSync(program, ["-c", `import ${modules.join(", ")}`]).status === 0;
}

function interpreter(program: string | undefined): string | undefined {
  if (program === undefined) return undefined;
  return spawnSync(program, ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).stdout.trim();
}

/** `describe` for tests that need Python with pytest and `modules`. */
export function describePython(name: string, tests: () => void, modules: readonly string[] = ["pytest"]): void {
  if (pythonHas(...modules)) {
    describe(name, tests);
    return;
  }
  const what = `no Python with ${modules.join(" and ")}; Debian has python3-pytest, python3-httpx and python3-pytest-xdist`;
  describe(name, () => {
    if (process.env["PLAYHEAD_REQUIRE_PYTHON"] === "1") {
      it("has its Python", () => {
        throw new Error(`PLAYHEAD_REQUIRE_PYTHON=1, and ${what}`);
      });
    } else it.skip(what, () => undefined);
  });
}
