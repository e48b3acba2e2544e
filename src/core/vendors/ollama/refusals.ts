// Refusals in the shape of Ollama's chat: ours, and those that its source shows.

import { defined } from "../../defined.js";
import type { JsonObject } from "../../canon/value.js";
import { jsonFault, type WireFailure } from "../../wire/failure.js";
import { toLine } from "../../wire/pieces.js";
import type { Vendor } from "../vendor.js";

export function failOllama({ message, miss }: WireFailure): JsonObject {
  return { error: message, ...defined({ miss }) };
}

export const ollamaFaults: Vendor["faults"] = {
  "server-error": jsonFault(500, { error: "llama runner process has terminated: exit status 2" }),
  overloaded: jsonFault(503, { error: "server busy, please try again.  maximum pending requests exceeded" }),
  "not-found": jsonFault(404, { error: `model "none" not found, try pulling it first` }),
};

export const ollamaStreamError = toLine({ error: "an error was encountered while running the model: unexpected EOF" });
