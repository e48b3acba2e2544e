// What an export is made of and what comes out.

import type { JsonObject } from "../../core/index.js";
import type { Loss } from "./loss.js";

export type ExportFormat = "openai" | "anthropic" | "otlp" | "ai-sdk";

export const EXPORT_FORMATS: readonly ExportFormat[] = ["openai", "anthropic", "otlp", "ai-sdk"];

export interface ExportedCassette {
  /** One document for each thread, in the order in which the threads ended. Empty without turns. */
  documents: JsonObject[];
  turns: number;
  /** The losses of the export, counted by kind. */
  losses: Loss[];
}
