// Compares JSON Schemas of draft 2020-12 with real documents, in ajv's strict mode: an unknown keyword or format is an
// error.

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { createRequire } from "node:module";
import type { FormatsPlugin } from "ajv-formats";

const addFormats = createRequire(import.meta.url)("ajv-formats") as FormatsPlugin;

/** A validator that knows these schemas by their `$id`. */
export function createValidator(schemas: readonly object[] = []): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: false,

    allErrors: true,
    allowUnionTypes: true,
  });
  addFormats(ajv);
  for (const schema of schemas) ajv.addSchema(schema);
  return ajv;
}

/** Throws with all errors if the document does not fit. */
export function assertValid(validate: ValidateFunction, document: unknown): void {
  if (validate(document) === true) return;
  const errors = (validate.errors ?? [])
    .slice(0, 10)
    .map(({ instancePath, message }) => `${instancePath} ${message ?? ""}`);
  throw new Error(`the document does not fit its schema:\n${errors.join("\n")}`);
}
