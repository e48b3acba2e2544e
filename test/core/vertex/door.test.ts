import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadedBy } from "../../support/architecture.js";
import { repositoryRoot } from "../../support/built.js";

const sources = new Map(
  readdirSync(join(repositoryRoot, "src"), { recursive: true, encoding: "utf8" })
    .map((path) => `src/${path.replaceAll("\\", "/")}`)
    .filter((path) => path.endsWith(".ts"))
    .map((path) => [path, readFileSync(join(repositoryRoot, path), "utf8")]),
);

describe("playhead/agent-runner", () => {
  it("REL-09 REL-21 loads the core alone: no vendor's package, no platform, no database", () => {
    const loaded = loadedBy("src/entry/agent-runner.ts", sources);
    expect(loaded).toContain("src/core/vertex/executor.ts");
    expect(loaded.filter((file) => !/^src\/(core|entry|platform)\//.test(file))).toEqual([]);
    const packages = loaded.flatMap((file) =>
      [...(sources.get(file) ?? "").matchAll(/^(?:import|export) (?!type )[^;]*? from "([^.#][^"]*)";/gms)].map(
        ([, name]) => name,
      ),
    );
    expect(new Set(packages)).toEqual(new Set(["@cfworker/json-schema"]));
  });

  it("does not let the turn core's input out", () => {
    const text = sources.get("src/entry/agent-runner.ts") ?? "";
    expect(text).not.toMatch(/AgentTurnInput|runAgentTurn/);
    expect(sources.get("src/core/vertex/index.ts")).not.toMatch(/AgentTurnInput|runAgentTurn/);
  });
});
