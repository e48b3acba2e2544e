// A separate project that runs Vitest as a user does: the compiled package as installed, real processes, and a real
// `sh` for the commands that failures print.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { assertBuilt, cassetteBin, repositoryRoot } from "./built.js";

/** The end of a process and its whole output. */
export interface Ran {
  readonly status: number | null;
  readonly printed: string;
}

/** Variables of a process. Those that this process has for CI and Vitest are left out. */
type Given = Readonly<Record<string, string>>;

export interface VitestProject {
  readonly folder: string;
  node(args: readonly string[], given?: Given): Ran;
  /** Runs a pasted line. `npx` finds `vitest` and `cassette` as if they were installed. */
  sh(line: string, given?: Given): Ran;
  /** `vitest run`, with the reporters `verbose` and ours. */
  vitest(given: Given, ...args: string[]): Ran;
  write(files: Readonly<Record<string, string>>): void;
  /** Every cassette of the project by its path. */
  cassettes(): Record<string, string>;
  remove(): void;
}

/** Another Vitest than the one installed here: scripts/trial-vitest.mjs. */
const { PLAYHEAD_VITEST: elsewhere = "" } = process.env;
const vitestFolder =
  elsewhere === ""
    ? dirname(fileURLToPath(import.meta.resolve("vitest/package.json")))
    : join(elsewhere, "node_modules/vitest");
export const vitestBin = join(vitestFolder, "vitest.mjs");

/** The files of every such project: the settings of the guide, and a scripted model. */
const COMMON = {
  "package.json": `{ "private": true, "type": "module" }\n`,
  "vitest.config.mjs": `export default { test: { setupFiles: ["playhead/vitest"] } };\n`,
  "live.mjs": `
import { scriptedProvider } from "playhead";
const say = (content) => ({ message: { role: "assistant", content }, finalAnswer: content, stopReason: "stop" });
export const live = (...texts) => () => scriptedProvider(texts.map(say));
export const ask = async ({ provider }, content) => (await provider.turn({ messages: [{ role: "user", content }] })).finalAnswer;
`,
};

/** Makes the project below the repository, so that playhead's dependencies are found in its node_modules. */
export function vitestProject(files: Readonly<Record<string, string>>): VitestProject {
  assertBuilt();
  const ignored = join(repositoryRoot, ".playhead");
  mkdirSync(ignored, { recursive: true });
  const folder = mkdtempSync(join(ignored, "fixture-"));
  const modules = join(folder, "node_modules");
  cpSync(join(repositoryRoot, "dist"), join(modules, "playhead/dist"), { recursive: true });
  cpSync(join(repositoryRoot, "package.json"), join(modules, "playhead/package.json"));
  mkdirSync(join(modules, ".bin"));
  if (elsewhere !== "") symlinkSync(vitestFolder, join(modules, "vitest"), "junction");
  for (const [name, bin] of Object.entries({ vitest: vitestBin, cassette: cassetteBin, playhead: cassetteBin })) {
    const file = join(modules, ".bin", name);
    writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
    chmodSync(file, 0o755);
  }

  function write(more: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(more)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
  }

  function run(program: string, args: readonly string[], given: Given = {}): Ran {
    const { CI, CASSETTE_MODE, CASSETTE_DIR, VITEST, VITEST_WORKER_ID, VITEST_POOL_ID, NODE_ENV, ...rest } =
      process.env;
    const env = { ...rest, NO_COLOR: "1", FORCE_COLOR: "0", npm_config_offline: "true", ...given };
    const child = spawnSync(program, args, { cwd: folder, env, encoding: "utf8", timeout: 120_000 });
    return { status: child.status, printed: `${child.stdout}\n${child.stderr}` };
  }

  write({ ...COMMON, ...files });
  const node = (args: readonly string[], given?: Given): Ran => run(process.execPath, args, given);
  return {
    folder,
    node,
    sh: (line, given) => run("sh", ["-c", line], given),
    vitest: (given, ...args) =>
      node([vitestBin, "run", "--reporter=verbose", "--reporter=playhead/vitest/reporter", ...args], given),
    write,
    cassettes() {
      const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
      const found = names.filter(
        (name) => /(?<!\.failed)\.cassette\.json$/.test(name) && !name.startsWith("node_modules"),
      );
      return Object.fromEntries(found.sort().map((name) => [name, readFileSync(join(folder, name), "utf8")]));
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The commands that failures name, in order. The reporter shows some failures twice. */
export function commandsIn(printed: string): string[] {
  return [...new Set([...printed.matchAll(/^ {2}command {2}(.+)$/gm)].map(([, command = ""]) => command))];
}
