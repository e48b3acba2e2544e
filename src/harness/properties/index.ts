// The entry point of the laws. Only src/entry/fast-check.ts imports it, because laws need the optional peer fast-check.

export { checkBudget, type BudgetReport, type CheckBudgetOptions } from "./budget.js";
export { checkHashFilter, type CheckHashFilterOptions, type HashFilterReport } from "./hash-filter.js";
export { LawBrokenError, type LawOptions } from "./law.js";
export { checkProvider, type CheckProviderOptions, type ProviderReport } from "./provider.js";
export type { ProviderSource } from "./provider-source.js";
export { checkRedaction, type CheckRedactionOptions, type RedactionReport } from "./redaction.js";
export { checkTool, type CheckToolOptions, type ToolReport } from "./tool.js";
