// Tries `--agent` with Claude Code, Codex CLI, Gemini CLI, opencode and Qwen Code from npm against a model on loopback: record, replay in
// another folder, for another user and a month later, fork onto another model, and replay the fork. Installs them into .playhead/agents.
// Needs the registry, git, and faketime of Debian for the later day. Codex is linked statically, so its day stays.
//
// node scripts/agents.mjs [claude] [codex] [gemini] [opencode] [qwen]

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const installed = join(root, ".playhead/agents");
const cassette = join(root, "dist/cli/bin.js");
const TASK = "Write a note and count it";
const MONTH_LATER = new Date(Date.now() + 31 * 24 * 60 * 60 * 1000).toISOString().slice(0, 19).replace("T", " ");

const AGENTS = {
  claude: {
    package: "@anthropic-ai/claude-code",
    command: ["claude", "-p", TASK, "--dangerously-skip-permissions"],
    path: "",
  },
  codex: {
    package: "@openai/codex",
    command: [
      ...["codex", "exec", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check", "-m", "gpt-5"],
      TASK,
    ],
    path: "/v1",
    isStatic: true,
  },
  gemini: {
    package: "@google/gemini-cli",
    command: ["gemini", "-p", TASK, "--yolo", "--skip-trust", "-m", "gemini-2.5-flash"],
    path: "",
  },
  opencode: {
    package: "opencode-ai",
    command: ["opencode", "run", "--auto", "-m", "anthropic/claude-sonnet-4-5", TASK],
    path: "",
  },
  qwen: {
    package: "@qwen-code/qwen-code",
    command: ["qwen", TASK, "--yolo", "-m", "qwen3-coder-plus"],
    path: "",
  },
};
const KEYS = { ANTHROPIC_API_KEY: "sk-none", OPENAI_API_KEY: "sk-none", GEMINI_API_KEY: "none" };

const asked = process.argv.slice(2);
const names = asked.length === 0 ? Object.keys(AGENTS) : asked;
const unknown = names.find((name) => !(name in AGENTS));
if (unknown !== undefined) fail(`${unknown} is not one of ${Object.keys(AGENTS).join(", ")}`);

install();
const model = await startModel();
const work = mkdtempSync(join(tmpdir(), "agents-"));
let failed = 0;
try {
  for (const name of names) failed += tryAgent(name) ? 0 : 1;
} finally {
  model.child.kill();
  rmSync(work, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

function tryAgent(name) {
  const { command, path, package: npm, isStatic = false } = AGENTS[name];
  const { version } = JSON.parse(readFileSync(join(installed, "node_modules", npm, "package.json"), "utf8"));
  const target = `http://127.0.0.1:${model.port}${path}`;
  const [here, there, third] = ["here", "there/deeper", "third"].map((folder) => repository(join(work, name, folder)));
  const later = isStatic || !hasFaketime() ? [] : ["faketime", MONTH_LATER];
  const elsewhere = { HOME: makeFolder(join(work, name, "home")), USER: "ann", LOGNAME: "ann" };
  const replay = (recordings) => ["replay", "--agent", name, ...recordings, "--", ...later, ...command];
  const when = later.length === 0 ? "" : " a month later";
  const step = (title, folder, args, env) => {
    const { status, stderr } = run(folder, args, env);
    const note = join(folder, "note.txt");
    const written = existsSync(note) ? readFileSync(note, "utf8").trim() : undefined;
    const isDone = status === 0 && written !== undefined;
    console.log(`${isDone ? "ok    " : "FAILED"} ${name} ${version}: ${title} (${written ?? "no note.txt"})`);
    if (!isDone) console.log(stderr.split("\n").slice(-25).join("\n"));
    rmSync(note, { force: true });
    return isDone;
  };
  if (!step("record", here, ["record", "--agent", name, "--target", target, "--", ...command], KEYS)) return false;
  for (const folder of [there, third]) take(here, folder, "__cassettes__");
  if (!step(`replay${when}`, there, replay([]), elsewhere)) return false;
  const options = ["--from", "1", "--model", "another-model", "--target", target, "--out", "forks/"];
  const fork = ["fork", "--agent", name, recordingIn(third, name), ...options, "--", ...command];
  if (!step("fork onto another model", third, fork, KEYS)) return false;
  take(third, there, "forks");
  return step(`replay of the fork${when}`, there, replay(["forks/"]), elsewhere);
}

function recordingIn(folder, name) {
  const [file] = readdirSync(join(folder, "__cassettes__", name));
  return `__cassettes__/${name}/${file}`;
}

function run(cwd, args, env) {
  const { ANTHROPIC_API_KEY: _, OPENAI_API_KEY: __, GEMINI_API_KEY: ___, CI: ____, ...inherited } = process.env;
  const PATH = `${join(installed, "node_modules/.bin")}:${process.env.PATH}`;
  // Claude Code refuses to skip its permissions for root outside a sandbox. opencode works in PWD, as a shell sets it.
  const all = { ...inherited, PATH, PWD: cwd, IS_SANDBOX: "1", ...env };
  return spawnSync(process.execPath, [cassette, ...args], {
    ...{ cwd, env: all, encoding: "utf8", timeout: 180_000, stdio: ["ignore", "pipe", "pipe"] },
  });
}

function repository(folder) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "readme.txt"), "A folder for an agent.\n");
  for (const args of [
    ["init", "-q"],
    ["add", "."],
    ["commit", "-q", "-m", "begin"],
  ]) {
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: folder });
  }
  return folder;
}

function makeFolder(folder) {
  mkdirSync(folder, { recursive: true });
  return folder;
}

function take(from, to, name) {
  cpSync(join(from, name), join(to, name), { recursive: true });
}

function hasFaketime() {
  return spawnSync("faketime", ["--version"]).status === 0;
}

function install() {
  if (!existsSync(cassette)) fail("dist is missing: run npm start once");
  const packages = names.map((name) => AGENTS[name].package);
  const missing = packages.filter((npm) => !existsSync(join(installed, "node_modules", npm)));
  if (missing.length === 0) return;
  mkdirSync(installed, { recursive: true });
  if (!existsSync(join(installed, "package.json")))
    writeFileSync(join(installed, "package.json"), '{ "private": true }\n');
  const { status } = spawnSync("npm", ["install", "--no-audit", "--no-fund", ...missing], {
    cwd: installed,
    stdio: "inherit",
  });
  if (status !== 0) fail(`npm could not install ${missing.join(", ")}`);
}

function startModel() {
  const child = spawn(process.execPath, [join(root, "scripts/agents/model.mjs")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return new Promise((resolve) => child.stdout.once("data", (text) => resolve({ child, port: Number(text) })));
}

function fail(why) {
  console.error(why);
  process.exit(2);
}
