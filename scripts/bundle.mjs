// node scripts/bundle.mjs MODULES OUT: joins the modules that tsc made in MODULES into the few files of the package in
// OUT. Every path that package.json names stays a file of its own, and so does every command and every thread's
// script. Shared code goes into OUT/chunks, in pieces that are loaded only when needed. So a door of 600 modules opens
// as fast as its code is parsed. The declarations do not change. MODULES/files.json lists the modules of each file.

import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [modules = "", out = ""] = process.argv.slice(2).map((path) => resolve(path));

/** Not public. As separate files, they keep the code of one command apart from that of another. */
const LAYERS = ["core/index", "cassette/index", "harness/index", "host/index"];

const bundle = await rolldown({
  // Paths in the output begin here.
  cwd: modules,
  input: Object.fromEntries(entries().map((name) => [name, `./${name}.js`])),
  // Packages, node: and #crypto stay imports. In a browser, #crypto is another file.
  external: /^[^./]/,
  platform: "node",
  // Loading a module has the same effects as before it was joined with others.
  treeshake: { moduleSideEffects: true },
  onLog: (_level, { message }) => {
    throw new Error(message);
  },
});
const { output } = await bundle.write({
  dir: out,
  format: "esm",
  entryFileNames: "[name].js",
  chunkFileNames: "chunks/[name].js",
});
await bundle.close();
const made = output.map(({ fileName, moduleIds }) => [
  fileName,
  moduleIds.map((id) => toSlashes(relative(modules, id))),
]);
writeFileSync(join(modules, "files.json"), `${JSON.stringify(Object.fromEntries(made), undefined, 1)}\n`);
for (const path of filesBelow(modules, ".d.ts")) cpSync(join(modules, path), join(out, path));

/** Paths below MODULES, without `.js`. */
function entries() {
  const { exports, imports, bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const named = [...JSON.stringify([exports, imports, bin]).matchAll(/"\.\/dist\/([^"*]+)\.js"/g)].map(
    ([, name]) => name,
  );
  const loaded = filesBelow(modules, ".js")
    .filter((path) => /^cli\/commands\/[^/]+\.js$|^cli\/[^/]+\/thread\.js$/.test(path))
    .map((path) => path.slice(0, -".js".length));
  return [...new Set([...named, ...loaded, ...LAYERS])].sort();
}

function filesBelow(folder, suffix) {
  return readdirSync(folder, { recursive: true })
    .map(toSlashes)
    .filter((path) => path.endsWith(suffix));
}

function toSlashes(path) {
  return path.replaceAll("\\", "/");
}
