// Runs one module of the package in a realm that has the language, web signals and text codecs, and nothing else of Node.
// node --experimental-vm-modules --experimental-import-meta-resolve realm.mjs <file of the package> <program>

import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createContext, SourceTextModule } from "node:vm";

const [, , door, program] = process.argv;
const root = new URL("../../", import.meta.url);
const { imports } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
const globals = { AbortController, AbortSignal, TextEncoder, TextDecoder, URL, result: undefined };
const context = createContext(globals);
const modules = new Map();

function open(url) {
  const known = modules.get(url);
  if (known !== undefined) return known;
  const module = new SourceTextModule(readFileSync(fileURLToPath(url), "utf8"), { context, identifier: url });
  modules.set(url, module);
  return module;
}

function locate(specifier, from) {
  const portable = imports[specifier]?.default;
  if (portable !== undefined) return new URL(portable, root).href;
  const url = import.meta.resolve(specifier, from);
  if (!url.startsWith("file:")) throw new Error(`${from} imports ${specifier}`);
  return url;
}

const main = new SourceTextModule(readFileSync(program, "utf8"), {
  context,
  identifier: pathToFileURL(program).href,
});
await main.link((specifier, { identifier }) =>
  open(specifier === "door" ? pathToFileURL(door).href : locate(specifier, identifier)),
);
await main.evaluate();
console.log(JSON.stringify({ has: Object.keys(globals).sort(), result: globals.result }));
