// What `cassette --version` and `--help` load: the declarations of the commands, and no layer below.

import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { repositoryRoot } from "../support/built.js";

/** Every source file that `entry` loads at once; types and `import()` load nothing. */
function loadedBy(entry: string): string[] {
  const found = new Set<string>();
  const visit = (file: string): void => {
    if (found.has(file)) return;
    found.add(file);
    const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.ES2022);
    for (const statement of source.statements) {
      const from = specifierOf(statement);
      if (from?.startsWith(".") === true) visit(join(dirname(file), from.replace(/\.js$/, ".ts")));
    }
  };
  visit(join(repositoryRoot, entry));
  return [...found].map((file) => relative(repositoryRoot, file).replaceAll("\\", "/"));
}

function specifierOf(statement: ts.Statement): string | undefined {
  if (ts.isImportDeclaration(statement)) {
    const { importClause, moduleSpecifier } = statement;
    if (importClause !== undefined && isOfTypes(importClause)) return undefined;
    return ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : undefined;
  }
  if (!ts.isExportDeclaration(statement) || statement.isTypeOnly) return undefined;
  const { moduleSpecifier } = statement;
  return moduleSpecifier !== undefined && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : undefined;
}

/** Under verbatimModuleSyntax `import type` alone vanishes. */
function isOfTypes({ phaseModifier }: ts.ImportClause): boolean {
  return phaseModifier === ts.SyntaxKind.TypeKeyword;
}

it("loads the command line alone, before a command is run", () => {
  const loaded = loadedBy("src/cli/bin.ts");
  expect(loaded).toContain("src/cli/commands/drift.ts");
  expect(loaded.filter((file) => !file.startsWith("src/cli/"))).toEqual([]);
  // Each command's own folder is loaded when it runs.
  expect(loaded.filter((file) => !/^src\/cli\/(commands\/)?[^/]+$/.test(file))).toEqual([]);
});
