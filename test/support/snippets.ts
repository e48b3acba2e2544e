// Code blocks of a Markdown file, and how each kind is run. `js` is run by Node unchanged. `ts` is run without its
// types, or by Vitest if it imports vitest. A block that starts with a comment `// name.mjs` is only written under
// that name, for a later block to run. `console` is run line by line in bash, and its output is compared. `json` and
// `yaml` are parsed. `diff` changes a file of an earlier block, which its first line names. The blocks of one document
// share a folder and run in order, so that later blocks can use the files of earlier ones. `python` and `ini` are written
// under the name in their first line, `# name`.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { parse as parseYaml } from "yaml";
import { cassetteBin, repositoryRoot } from "./built.js";

export interface Snippet {
  document: string;
  line: number;
  language: string;
  code: string;
}

/** Where the blocks of a document run. */
export interface Place {
  folder: string;
  /** Where its `npm` commands run. */
  npmFolder: string;
  env: Readonly<Record<string, string>>;
}

export function readSnippets(document: string): Snippet[] {
  const lines = readFileSync(join(repositoryRoot, document), "utf8").split("\n");
  const snippets: Snippet[] = [];
  let open: Snippet | undefined;
  lines.forEach((text, index) => {
    const fence = /^\s*```(\S*)\s*$/.exec(text);
    if (fence === null) {
      if (open !== undefined) open.code += text + "\n";
    } else if (open === undefined) {
      open = { document, line: index + 1, language: fence[1] ?? "", code: "" };
    } else {
      snippets.push(open);
      open = undefined;
    }
  });
  return snippets;
}

/** Whether a document starts from an empty folder, with its own install. */
export function isGuide(snippets: readonly Snippet[]): boolean {
  return snippets.some(({ language, code }) => language === "console" && /^\$ npm init\b/m.test(code));
}

/** An empty folder for one document, inside the repository so that `playhead` resolves to the package itself. */
export function snippetPlace(document: string): Place {
  const folder = join(repositoryRoot, ".playhead", "docs", document.replaceAll(/[^a-zA-Z0-9]/g, "-"));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "bin"), { recursive: true });
  for (const name of ["cassette", "playhead"]) {
    writeFileSync(join(folder, "bin", name), `#!/bin/sh\nexec "${process.execPath}" "${cassetteBin}" "$@"\n`, {
      mode: 0o755,
    });
  }
  // The real npx would look for `playhead` in the registry, because it is not installed here.
  const npx = `#!/bin/sh\nname="$1"; shift\nPATH="${join(folder, "bin")}:${join(repositoryRoot, "node_modules/.bin")}:$PATH" exec "$name" "$@"\n`;
  writeFileSync(join(folder, "bin/npx"), npx, { mode: 0o755 });
  // Without its own configuration, Vitest would use that of the repository.
  writeFileSync(join(folder, "vitest.config.mjs"), CONFIG);
  const env = { PATH: `${join(folder, "bin")}:${process.env["PATH"] ?? ""}` };
  return { folder, npmFolder: repositoryRoot, env };
}

/** Runs one block in its place. If it fails, throws with the whole output. */
export function runSnippet(snippet: Snippet, place: Place): void {
  switch (snippet.language) {
    case "js":
    case "ts":
      return runTypeScript(snippet, place);
    case "console":
      return runConsole(snippet, place);
    case "diff":
      return applyChange(snippet, place.folder);
    case "python":
    case "ini":
      return writeNamed(snippet, place.folder);
    case "json":
      JSON.parse(snippet.code);
      return;
    case "yaml":
      parseYaml(snippet.code, { strict: true });
      return;
    default:
      throw new Error(`${where(snippet)}: nobody runs a block of language "${snippet.language}"`);
  }
}

/** Vitest must not transform the package, as if it were installed. */
const CONFIG = `export default { test: { include: ["*.test.mjs"], server: { deps: { external: [/\\/dist\\//] } } } };\n`;

function runTypeScript(snippet: Snippet, { folder, env }: Place): void {
  const name = /^\/\/ (\S+\.mjs)$/m.exec(snippet.code.split("\n")[0] ?? "")?.[1];
  const isBenchmark = name?.endsWith(".bench.mjs") === true;
  const isTest = !isBenchmark && /from "vitest"/.test(snippet.code);
  // A program of the repository, which another test compares with the document.
  if (name?.startsWith("examples/") === true) return;
  const file = join(folder, name ?? `line-${snippet.line}${isTest ? ".test" : ""}.mjs`);
  writeFileSync(file, snippet.language === "ts" ? compile(snippet.code) : snippet.code);
  if (name !== undefined && !isTest) return assertUsedLater(snippet, name);
  const vitest = join(repositoryRoot, "node_modules/vitest/vitest.mjs");
  const config = join(folder, "vitest.config.mjs");
  if (isTest) writeFileSync(config, CONFIG);
  const args = isTest ? [vitest, "run", "--root", folder, "--config", config, file] : [file];
  const result = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", env: environment(env) });
  if (result.status !== 0)
    throw new Error(`${where(snippet)} exited ${result.status}\n${result.stdout}${result.stderr}`);
}

/** The compiler's errors under `strict` for the `ts` blocks of one document, each with its line there. Needs dist. */
export function typeErrors(snippets: readonly Snippet[]): string[] {
  const blocks = new Map(
    snippets
      .filter(({ language }) => language === "ts")
      .map((snippet) => [join(repositoryRoot, ".playhead", `${snippet.line}-types.mts`), snippet]),
  );
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    types: ["node"],
  };
  const host = ts.createCompilerHost(options);
  const [readFile, fileExists] = [host.readFile.bind(host), host.fileExists.bind(host)];
  const { getSourceFile } = host;
  host.readFile = (file) => blocks.get(file)?.code ?? readFile(file);
  host.fileExists = (file) => blocks.has(file) || fileExists(file);
  host.getSourceFile = (file, target, ...rest) => {
    const block = blocks.get(file);
    return block === undefined
      ? getSourceFile.call(host, file, target, ...rest)
      : ts.createSourceFile(file, block.code, target);
  };
  return ts.getPreEmitDiagnostics(ts.createProgram([...blocks.keys()], options, host)).map((diagnostic) => {
    const { file, start = 0, messageText } = diagnostic;
    const block = blocks.get(file?.fileName ?? "");
    const line = (block?.line ?? 0) + (file?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
    return `${block?.document ?? "?"}:${line} ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
  });
}

function compile(code: string): string {
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
  return ts.transpileModule(code, { compilerOptions }).outputText;
}

/** Writes a file whose first line is a comment with its name. */
function writeNamed(snippet: Snippet, folder: string): void {
  const name = /^# (\S+)$/m.exec(snippet.code.split("\n")[0] ?? "")?.[1];
  if (name === undefined) throw new Error(`${where(snippet)}: the first line does not name the file`);
  writeFileSync(join(folder, name), snippet.code);
}

function assertUsedLater(snippet: Snippet, name: string): void {
  const later = readSnippets(snippet.document).filter((other) => other.line > snippet.line);
  const uses = ({ language, code }: Snippet) =>
    language === "console" ? code.includes(name) : code.includes(`from "./${name}"`);
  if (!later.some(uses)) throw new Error(`${where(snippet)}: no later block uses ${name}`);
}

/** The lines that stay or go (` `, `-`) must be in the file once. They become the lines that stay or come (` `, `+`). */
function applyChange(snippet: Snippet, folder: string): void {
  const [first = "", ...lines] = snippet.code.trimEnd().split("\n");
  const file = join(folder, first.replace(/^(\/\/|#) /, ""));
  const side = (marks: string) =>
    lines
      .filter((line) => marks.includes(line.charAt(0)))
      .map((line) => line.slice(1))
      .join("\n");
  const parts = readFileSync(file, "utf8").split(side(" -"));
  if (parts.length !== 2)
    throw new Error(`${where(snippet)}: the lines to change stand ${parts.length - 1} times in it`);
  writeFileSync(file, parts.join(side(" +")));
}

/** Runs a line `$ command`. The lines after it are its output, in which `…` is any text. `# exit 1` is its exit code. */
function runConsole(snippet: Snippet, { folder, npmFolder, env }: Place): void {
  for (const block of snippet.code.split(/^\$ /m).slice(1)) {
    const [command = "", ...expected] = block.trimEnd().split("\n");
    const exit = Number(/# exit (\d+)$/.exec(command)?.[1] ?? 0);
    const cwd = command.startsWith("npm ") ? npmFolder : folder;
    // Without --norc, bash reads ~/.bashrc because its input is a socket, and prints what that prints.
    const script = command.endsWith(UNTIL_SIGNAL) ? endWhenPrinted(command, expected.length) : command;
    const result = spawnSync("bash", ["--norc", "-c", script], { cwd, encoding: "utf8", env: environment(env) });
    const printed = result.stdout + result.stderr;
    if (result.status !== exit)
      throw new Error(`${where(snippet)}: "${command}" exited ${result.status}, not ${exit}\n${printed}`);
    const pattern = expected.join("\n").trim();
    if (!matches(printed, pattern)) {
      throw new Error(
        `${where(snippet)}: "${command}" printed\n${printed}\nwhich is not what the document shows:\n${pattern}`,
      );
    }
  }
}

const UNTIL_SIGNAL = "# runs until Ctrl+C";

/** Sends SIGINT to a command that would run on, once it has printed this many lines. */
function endWhenPrinted(command: string, lines: number): string {
  return `
    out=$(mktemp)
    ${command.slice(0, -UNTIL_SIGNAL.length)} > "$out" 2>&1 &
    while kill -0 $! && [ "$(wc -l < "$out")" -lt ${lines} ]; do sleep 0.05; done
    kill -INT $!
    wait $!
    code=$?
    cat "$out"
    rm "$out"
    exit $code`;
}

function matches(printed: string, pattern: string): boolean {
  const source = pattern
    .split("…")
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("[\\s\\S]*?");
  return new RegExp(`^${source}$`).test(printed.trim().replaceAll(/[ \t]+$/gm, ""));
}

function environment(env: Place["env"]): NodeJS.ProcessEnv {
  const { CI: _ci, CASSETTE_MODE: _mode, VITEST: _vitest, ...rest } = process.env;
  return { ...rest, NO_COLOR: "1", ...env };
}

function where(snippet: Snippet): string {
  return `${snippet.document}:${snippet.line}`;
}
