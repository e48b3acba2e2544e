// The exports of the package, read from its sources by TypeScript: every entry of package.json with its names and
// their docstrings.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { repositoryRoot } from "./built.js";

export interface DoorExport {
  readonly name: string;
  /** The text of its docstring, or "" if it has none. */
  readonly documentation: string;
  /** The file that declares it, from the root of the repository. */
  readonly file: string;
}

export interface Door {
  /** As it is imported: `playhead/harness`. */
  readonly name: string;
  /** Sorted by name. */
  readonly exports: readonly DoorExport[];
}

interface Manifest {
  name: string;
  exports: Record<string, string | { types: string }>;
}

/** The names of the entries with their source files, in the order of package.json. */
export function doorSources(): { name: string; source: string }[] {
  const manifest = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8")) as Manifest;
  return Object.entries(manifest.exports).flatMap(([path, door]) =>
    typeof door === "string"
      ? []
      : [
          {
            name: path.replace(".", manifest.name),
            source: door.types.replace("./dist/", "src/").replace(/\.d\.ts$/, ".ts"),
          },
        ],
  );
}

/** Reads all entries. Leaves out names that another package declares, because they are documented there. */
export function readDoors(): Door[] {
  const config = ts.readConfigFile(join(repositoryRoot, "tsconfig.json"), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, repositoryRoot);
  const doors = doorSources();
  const pathOf = (source: string): string => join(repositoryRoot, source);
  const program = ts.createProgram(
    doors.map(({ source }) => pathOf(source)),
    options,
  );
  const checker = program.getTypeChecker();
  return doors.map(({ name, source }) => {
    const file = program.getSourceFile(pathOf(source));
    const module = file === undefined ? undefined : checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error(`${name} has no source ${source}`);
    const exports = checker.getExportsOfModule(module).flatMap((symbol) => readExport(symbol, checker) ?? []);
    return { name, exports: exports.sort((a, b) => (a.name < b.name ? -1 : 1)) };
  });
}

function readExport(symbol: ts.Symbol, checker: ts.TypeChecker): DoorExport | undefined {
  const declared = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const file = declared.declarations?.[0]?.getSourceFile().fileName ?? "";
  if (file.includes("/node_modules/")) return undefined;
  const documentation = ts.displayPartsToString(declared.getDocumentationComment(checker)).trim();
  return { name: symbol.name, documentation, file: file.slice(repositoryRoot.length).replace(/^\//, "") };
}
