// The formats a cassette can be exported to.

/** One word for each. */
export type ExportFormat = "openai" | "anthropic" | "otlp" | "ai-sdk";

/** All of them, for a help text. */
export const EXPORT_FORMATS: readonly ExportFormat[] = ["openai", "anthropic", "otlp", "ai-sdk"];
