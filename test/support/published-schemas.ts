// The JSON Schemas that the package publishes, to compare with the real output of the commands.

import { readdirSync, readFileSync } from "node:fs";
import { repositoryRoot } from "./built.js";
import { assertValid, createValidator } from "./json-schema.js";

const folder = new URL("schemas/", `file://${repositoryRoot}`);

/** By name, such as "verify" or "gate-report". */
export const PUBLISHED: ReadonlyMap<string, object> = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith(".schema.json"))
    .sort()
    .map((file) => [file.replace(".schema.json", ""), read(file)]),
);

function read(file: string): object {
  return JSON.parse(readFileSync(new URL(file, folder), "utf8")) as object;
}

const validator = createValidator([...PUBLISHED.values()]);

/** Throws if the document does not fit the schema of that name, or if there is no such schema. */
export function assertPublished(name: string, document: unknown): void {
  const schema = PUBLISHED.get(name) as { $id?: string } | undefined;
  const validate = schema?.$id === undefined ? undefined : validator.getSchema(schema.$id);
  if (validate === undefined) throw new Error(`there is no schema ${name}`);
  assertValid(validate as Parameters<typeof assertValid>[0], document);
}

/** The same for a document, by the command it names. A document without a command has no schema. */
export function assertDocument(document: { command: string | null }): void {
  if (document.command !== null) assertPublished(document.command, document);
}
