// A temporary folder with pytest tests that use the plugin of this repository, and pytest runs in it.

import { spawn, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { repositoryRoot } from "./built.js";
import { python } from "./python.js";

/** Asks a model as a plain client of OpenAI does. */
const AGENT = `
import json, os, urllib.request

def ask(question, url=None):
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": question}]}
    url = (url or os.environ["OPENAI_BASE_URL"]) + "/chat/completions"
    request = urllib.request.Request(url, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request) as response:
        return json.load(response)["choices"][0]["message"]["content"]
`;

export interface PytestRun {
  code: number | null;
  out: string;
}

export interface PytestProject {
  readonly folder: string;
  write(files: Readonly<Record<string, string>>): void;
  /** Runs pytest with variables and arguments. */
  run(env?: Readonly<Record<string, string>>, ...args: string[]): Promise<PytestRun>;
  start(env?: Readonly<Record<string, string>>, ...args: string[]): { child: ChildProcess; ended: Promise<PytestRun> };
  /** Every recording, sorted. */
  recordings(): string[];
  remove(): void;
}

/** The plugin and \`agent.py\` can be imported. */
export function pytestProject(
  files: Readonly<Record<string, string>>,
  plugin = join(repositoryRoot, "python"),
): PytestProject {
  const folder = mkdtempSync(join(tmpdir(), "playhead-pytest-"));
  const project: PytestProject = {
    folder,
    write(given) {
      for (const [name, text] of Object.entries(given)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
    },
    start(env = {}, ...args) {
      const { CI: _ci, CASSETTE_MODE: _mode, OPENAI_BASE_URL: _url, OPENAI_API_KEY: _key, ...rest } = process.env;
      const flags = ["-m", "pytest", "-q", "-p", "no:cacheprovider"];
      const child = spawn(python ?? "python3", [...flags, ...args], {
        cwd: folder,
        env: { ...rest, PYTHONDONTWRITEBYTECODE: "1", COLUMNS: "200", ...env },
        stdio: ["ignore", "pipe", "pipe"],
        detached: true,
      });
      let out = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (part: Buffer) => void (out += String(part)));
      const ended = new Promise<PytestRun>((resolve) => child.on("close", (code) => resolve({ code, out })));
      return { child, ended };
    },
    run: (env, ...args) => project.start(env, ...args).ended,
    recordings: () =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => /\.cassette\.(failed\.)?json$/.test(name))
        .sort(),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  project.write({
    "pytest.ini": `[pytest]\npythonpath = . ${plugin}\n`,
    "conftest.py": 'pytest_plugins = ["pytest_playhead"]\n',
    "agent.py": AGENT,
    ...files,
  });
  return project;
}
