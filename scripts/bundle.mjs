// node scripts/bundle.mjs MODULES OUT: joins the modules that tsc made in MODULES into the few files of the package in
// OUT. Every path that package.json names stays a file of its own, and so does every command and every thread's
// script. Shared code goes into OUT/chunks. A door opens as fast as its code is parsed and its files are found, so it
// loads only the modules whose names it uses, in few files. The declarations do not change. MODULES/files.json lists
// the modules of each file.

import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [modules = "", out = ""] = process.argv.slice(2).map((path) => resolve(path));

/** Small packages that almost every door needs. Node takes longer to find their files than to run them. */
const INLINED = ["@cfworker/json-schema", "eventsource-parser", "fflate", "p-limit", "yocto-queue"];

/** The entry points whose number of files is limited (bench/doors.json). */
const DOORS = [
  ["entry/playhead"],
  ["entry/jest", "entry/vitest"],
  ["entry/msw"],
  ["entry/cassette"],
  ["entry/session"],
  ["entry/host", "entry/session-store-file"],
];

/** `verify` and `stats` need a third of the code of the others. */
const COMMANDS = [
  ["cli/verify/verify", "cli/verify/thread", "cli/stats/stats", "cli/facts/thread"],
  ["cli/diff/diff", "cli/diff/thread", "cli/drift/thread", "cli/show/show"],
];

/** Modules that are needed by the same of these groups share a file. */
const LEADERS = [
  ...DOORS,
  ["entry/cassette-portable", "cassette/bundle/bundle-files", "cassette/import/import", "cassette/export/documents"],
  ["entry/harness"],
  ["cli/bin"],
  ["cli/main", "cli/disk", ...modulesLike(/^cli\/commands\//)],
  ...COMMANDS,
];

/** Finding a file takes as long as loading 20 KB. Smaller files than this are joined with others. */
const SMALL_FILE = 10_000;

const bundle = await rolldown({
  // Paths in the output begin here.
  cwd: modules,
  input: Object.fromEntries(entries().map((name) => [name, `./${name}.js`])),
  // Other packages, node: and #crypto stay imports. In a browser, #crypto is another file.
  external: (id) => /^[^./]/.test(id) && !INLINED.some((name) => id === name || id.startsWith(`${name}/`)),
  platform: "node",
  resolve: { mainFields: ["module", "main"], alias: { fflate: "fflate/browser" } },
  // Only these files do something when they are loaded. Of the others, a door loads what it uses.
  treeshake: { moduleSideEffects: (id) => /\/(entry\/[^/]+|bin|thread)\.js$/.test(toSlashes(id)) },
  preserveEntrySignatures: "allow-extension",
  onLog: (_level, { message }) => {
    throw new Error(message);
  },
});
const options = { dir: out, format: "esm", entryFileNames: "[name].js", chunkFileNames: "chunks/[name].js" };
const group = groups((await bundle.generate(options)).output);
const { output } = await bundle.write({
  ...options,
  comments: false,
  // Node decodes a file that has other characters several times as slowly.
  charset: "ascii",
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [{ debugName: "leaders", name: (id) => group.get(id) ?? null }],
  },
});
await bundle.close();
const made = output.map(({ fileName, moduleIds }) => [
  fileName,
  moduleIds.map((id) => toSlashes(relative(modules, id))),
]);
writeFileSync(join(modules, "files.json"), `${JSON.stringify(Object.fromEntries(made), undefined, 1)}\n`);
for (const path of filesBelow(modules, ".d.ts")) cpSync(join(modules, path), join(out, path));
writeFileSync(join(out, "THIRD-PARTY.md"), `# Packages inside these files\n\n${INLINED.map(licenceOf).join("\n")}`);

function licenceOf(name) {
  const folder = join(root, "node_modules", name);
  const { version, license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((path) => /^licen[cs]e(\.md)?$/i.test(path));
  const text = file === undefined ? `Copyright ${author}\n` : readFileSync(join(folder, file), "utf8");
  return `## ${name} ${version} (${license})\n\n${text.trim()}\n`;
}

/** The name of the file for each shared module that a leader needs. `chunks` is the finest division. */
function groups(chunks) {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const fileOf = (name) => chunks.find(({ facadeModuleId }) => facadeModuleId === join(modules, `${name}.js`)).fileName;
  const needs = LEADERS.map((names) => new Set(names.flatMap((name) => [...reached(fileOf(name), byFile)])));
  const shared = chunks.filter(
    ({ isEntry, isDynamicEntry, fileName }) => !isEntry && !isDynamicEntry && needs.some((need) => need.has(fileName)),
  );
  const users = new Map(shared.map(({ fileName }) => [fileName, usersOf(fileName, needs)]));
  widen(users, byFile);
  return new Map(
    shared.flatMap(({ fileName, moduleIds }) => {
      const name = users.get(fileName).map((at) => LEADERS[at][0].replaceAll("/", "-"));
      // A command's own folder stays apart from the folders of other commands, and what only some hosts need from the rest.
      const own = /\/cli\/(?!options|terminal)[^/]+\/|\/host\/(fleet|session|sqlite)\//;
      const common = moduleIds.filter((id) => !own.test(toSlashes(id)));
      return common.map((id) => [id, name.join("+")]);
    }),
  );
}

/** The leaders that need a file. All commands load what a door and a command share, so that the door opens no extra file. */
function usersOf(file, needs) {
  const isUser = (names) => needs[LEADERS.indexOf(names)].has(file);
  const isShared = DOORS.some(isUser) && COMMANDS.some(isUser);
  return LEADERS.flatMap((names, at) => (isUser(names) || (isShared && COMMANDS.includes(names)) ? [at] : []));
}

/** Moves the code of a small file into a larger file that all its users load anyway, if no leader must load more for it. */
function widen(users, byFile) {
  const opened = [...byFile.values()].filter(({ isEntry }) => isEntry).map(({ fileName }) => reached(fileName, byFile));
  const sizeOf = (files) => files.reduce((sum, file) => sum + Buffer.byteLength(byFile.get(file).code), 0);
  const alike = new Map();
  for (const [file, list] of users) alike.set(list.join(), [...(alike.get(list.join()) ?? []), file]);
  const small = [...alike.values()].filter((files) => sizeOf(files) < SMALL_FILE);
  for (const files of small) {
    const own = users.get(files[0]);
    const needed = files.flatMap((file) => [...reached(file, byFile)]).filter((file) => !files.includes(file));
    const fits = [...users.values()]
      .filter((more) => more.length > own.length && own.every((at) => more.includes(at)))
      .filter((more) => needed.every((file) => more.every((at) => users.get(file)?.includes(at))))
      .filter((more) => opened.every((open) => !files.some((file) => open.has(file)) || opens(open, users, more)))
      .sort((a, b) => a.length - b.length)[0];
    if (fits !== undefined) for (const file of files) users.set(file, fits);
  }
}

/** True if the files of an entry are partly those of these leaders. */
function opens(open, users, leaders) {
  return [...users].some(([file, list]) => open.has(file) && list.join() === leaders.join());
}

function reached(file, byFile, found = new Set()) {
  if (!found.has(file) && byFile.has(file)) {
    found.add(file);
    for (const next of byFile.get(file).imports) reached(next, byFile, found);
  }
  return found;
}

/** Paths below MODULES, without `.js`. */
function entries() {
  const { exports, imports, bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const named = [...JSON.stringify([exports, imports, bin]).matchAll(/"\.\/dist\/([^"*]+)\.js"/g)].map(
    ([, name]) => name,
  );
  return [...new Set([...named, ...modulesLike(/^cli\/(commands\/[^/]+|[^/]+\/thread)$/)])].sort();
}

/** The paths of the modules that match, without `.js`. */
function modulesLike(pattern) {
  const paths = filesBelow(modules, ".js").map((path) => path.slice(0, -".js".length));
  return paths.filter((path) => pattern.test(path));
}

function filesBelow(folder, suffix) {
  return readdirSync(folder, { recursive: true })
    .map(toSlashes)
    .filter((path) => path.endsWith(suffix));
}

function toSlashes(path) {
  return path.replaceAll("\\", "/");
}
