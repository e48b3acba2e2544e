// Runs `npm start`, `npm test` and `npm run bench`, `bench:check`, `fuzz`, `laws`, `crash`, `chaos`, `api` and `newsroom` on a
// machine that has only Node and npm. If needed, it installs from the lock file and compiles first, and says so. A
// second call finds both done.
//
//   node scripts/bootstrap.mjs demo|test|bench|bench:check|fuzz|laws|crash|chaos|api|newsroom|build [arguments for it]

import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const at = (...parts) => join(root, ...parts);
const [job = "", ...rest] = process.argv.slice(2);

const JOBS = {
  build: () => {},
  api: () => {
    run([at("scripts/api.mjs")]);
    run([at("scripts/options.mjs")]);
    run([at("scripts/llms.mjs")]);
  },
  demo: () => run([at("dist/cli/bin.js"), "demo", ...rest]),
  newsroom: () =>
    run([
      at("dist/cli/bin.js"),
      "serve",
      at("cassettes/newsroom"),
      "--",
      process.execPath,
      at("examples/newsroom.mjs"),
    ]),
  bench: () => run([at("bench/run.mjs"), ...rest]),
  "bench:check": () => run([at("bench/check.mjs"), ...rest]),
  chaos: () => run([at("scripts/chaos.mjs"), ...rest]),
  crash: () => run([at("scripts/crash.mjs"), ...rest]),
  fuzz: () => run([at("scripts/fuzz.mjs"), ...rest]),
  laws: () => run([at("scripts/laws.mjs"), ...rest]),
  test: () => (rest.length > 0 ? step("tests", vitest(rest)) : testEverything()),
};

assertNode();
if (!Object.hasOwn(JOBS, job)) fail(`"${job}" is not a job. The jobs are ${Object.keys(JOBS).join(", ")}.`);
install();
compile();
await JOBS[job]();

async function testEverything() {
  // Each of these uses one core.
  await Promise.all([
    check("format", [bin("prettier/bin/prettier.cjs"), "--check", "--log-level", "warn", "."]),
    check("lint", [bin("eslint/bin/eslint.js"), "."]),
    check("types", [bin("typescript/bin/tsc"), "-p", "tsconfig.test.json"]),
  ]);
  if (process.exitCode === undefined) step("tests", vitest([]));
}

function vitest(filters) {
  return [bin("vitest/vitest.mjs"), "run", ...filters];
}

function assertNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const isSupported = (major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 24;
  if (!isSupported)
    fail(
      `Node ${process.versions.node} is not supported. Use 20.19 or newer of 20, 22.12 or newer of 22, or 24 and up.`,
    );
}

/** Runs `npm ci`, unless the installed packages came from this very lock file. */
function install() {
  const stamp = at("node_modules/.playhead-installed");
  const wanted = digest([at("package-lock.json")]);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  // npm runs `prepublish` after it has installed the lock file: in a clone, and for users who install the package from git. `prepare`
  // would do the same, but npm counts it as an install script of the packed file.
  if (process.env["npm_lifecycle_event"] === "prepublish" && existsSync(at("node_modules/rolldown"))) return;
  if (lstatSync(at("node_modules"), { throwIfNoEntry: false })?.isSymbolicLink()) {
    fail(
      "node_modules is a link, and an install would empty the folder behind it. Install there, or take the link away.",
    );
  }
  const count = Object.keys(JSON.parse(readFileSync(at("package-lock.json"), "utf8")).packages).length - 1;
  console.log(`playhead: installing up to ${count} packages from package-lock.json (only needed when it changes) …`);
  const npm = process.env.npm_execpath;
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  // If the package is installed globally by git (pre-commit does that), the npm below must not install globally too.
  const { npm_config_global: _global, npm_config_location: _location, ...env } = process.env;
  const options = { cwd: root, stdio: "inherit", env };
  const result =
    npm === undefined
      ? spawnSync("npm", args, { ...options, shell: process.platform === "win32" })
      : spawnSync(process.execPath, [npm, ...args], options);
  if (result.status !== 0) fail("npm ci failed. What it printed above says why; is the package registry reachable?");
  writeFileSync(stamp, wanted);
}

/**
 * Runs `tsc` into separate folders, joins its modules into a package, and puts that in place of dist. Does nothing if dist was
 * made from these very sources. `.playhead/modules` keeps the single modules, for programs that look inside.
 */
function compile() {
  const stamp = at("dist/.built");
  const made = ["package.json", "package-lock.json", "tsconfig.json", "scripts/bundle.mjs"].map((path) => at(path));
  const wanted = digest([...made, ...filesBelow(at("src"))]);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  console.log("playhead: compiling src to dist (only needed when the sources change) …");
  const [modules, fresh] = ["modules", "dist"].map((name) => at(".playhead", `${name}-${process.pid}`));
  mkdirSync(at(".playhead"), { recursive: true });
  const steps = [
    {
      args: [bin("typescript/bin/tsc"), "-p", at("tsconfig.json"), "--outDir", modules],
      wrong: "the sources do not compile",
    },
    { args: [at("scripts/bundle.mjs"), modules, fresh], wrong: "the compiled modules could not be joined" },
  ];
  for (const { args, wrong } of steps) {
    if (spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status === 0) continue;
    for (const folder of [modules, fresh]) rmSync(folder, { recursive: true, force: true });
    fail(`${wrong}; the messages above say where.`);
  }
  writeFileSync(join(fresh, ".built"), wanted);
  for (const [from, to] of [
    [modules, at(".playhead/modules")],
    [fresh, at("dist")],
  ]) {
    rmSync(to, { recursive: true, force: true });
    renameSync(from, to);
  }
}

function filesBelow(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function digest(files) {
  const hash = createHash("sha256");
  for (const file of files)
    hash
      .update(`${file.slice(root.length)}\0`)
      .update(readFileSync(file))
      .update("\0");
  return hash.digest("hex");
}

function bin(path) {
  return at("node_modules", path);
}

/** Runs a step next to others, and prints what it says once it has ended. */
function check(name, args) {
  const started = Date.now();
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: root, maxBuffer: Infinity }, (error, out, errors) => {
      const result = error === null ? "ok" : "failed";
      console.log(`\nplayhead: ${name} ${result} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
      process.stdout.write(out + errors);
      if (error !== null) process.exitCode = 1;
      resolve();
    });
  });
}

function step(name, args) {
  const started = Date.now();
  console.log(`\nplayhead: ${name} …`);
  run(args);
  console.log(`playhead: ${name} ok (${((Date.now() - started) / 1000).toFixed(1)} s)`);
}

function run(args) {
  const result = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (result.status !== 0) process.exit(result.status ?? 1);
}

function fail(message) {
  console.error(`playhead: ${message}`);
  process.exit(2);
}
