// The requirement ids in the names of tests, and the claims of a table of requirements about them.

import { readdirSync, readFileSync } from "node:fs";
import ts from "typescript";

const RUNNERS = ["it", "test", "describe"];
const ID = /\b(?:PLK|CRB|PLM|REL|PSS)-\d+\b/g;

/** The ids in the names given to `it`, `test` and `describe` in one file, including `.each` and `.skipIf`. */
export function idsInTestNames(text: string): string[] {
  const ids: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && RUNNERS.includes(rootName(node.expression))) {
      ids.push(...(nameOf(node.arguments[0]).match(ID) ?? []));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("test.ts", text, ts.ScriptTarget.ESNext));
  return ids;
}

/** `describe.skipIf(x).each(table)` is rooted in `describe`. */
function rootName(callee: ts.Expression): string {
  if (ts.isIdentifier(callee)) return callee.text;
  if (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) return rootName(callee.expression);
  if (ts.isTaggedTemplateExpression(callee)) return rootName(callee.tag);
  return "";
}

function nameOf(argument: ts.Expression | undefined): string {
  if (argument === undefined) return "";
  if (ts.isStringLiteralLike(argument)) return argument.text;
  if (!ts.isTemplateExpression(argument)) return "";
  return argument.head.text + argument.templateSpans.map((span) => ` ${span.literal.text}`).join("");
}

/** The ids that the tests below `folder` carry. */
export function idsInTests(folder: string): Set<string> {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
  return new Set(files.flatMap((path) => idsInTestNames(readFileSync(`${folder}/${path}`, "utf8"))));
}

export interface RequirementRow {
  id: string;
  /** `tests`, `open`, or `docs` with the file, as in `docs (docs/tools.md)`. */
  proof: string;
}

export function parseRequirements(markdown: string): RequirementRow[] {
  return markdown.split("\n").flatMap((line) => {
    const cells = line.split("|").map((cell) => cell.trim());
    return cells.length === 5 && /^[A-Z]+-\d+$/.test(cells[1] ?? "")
      ? [{ id: cells[1] ?? "", proof: cells[3] ?? "" }]
      : [];
  });
}

/** Every false claim of the table. `hasFile` checks the files that `docs` rows name. */
export function findUntrueRows(
  rows: readonly RequirementRow[],
  expected: readonly string[],
  carried: ReadonlySet<string>,
  hasFile: (path: string) => boolean,
): string[] {
  const ids = rows.map(({ id }) => id);
  return [
    ...expected.filter((id) => !ids.includes(id)).map((id) => `${id} is missing`),
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} is there twice`),
    ...[...carried].filter((id) => !ids.includes(id)).map((id) => `${id} is carried by a test and not in the table`),
    ...rows.flatMap((row) => untrueProof(row, carried.has(row.id), hasFile)),
  ];
}

function untrueProof({ id, proof }: RequirementRow, isCarried: boolean, hasFile: (path: string) => boolean): string[] {
  if (proof === "tests") return isCarried ? [] : [`${id} says tests, and no test carries it`];
  if (proof === "open") return isCarried ? [`${id} says open, and a test carries it`] : [];
  const file = /^docs \((\S+)\)$/.exec(proof)?.[1];
  if (file === undefined) return [`${id} has the proof ${JSON.stringify(proof)}`];
  return hasFile(file) ? [] : [`${id} names ${file}, which does not exist`];
}
