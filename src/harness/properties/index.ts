// The door of the laws, apart from the harness's own, since they need the optional peer fast-check. Only
// src/entry/fast-check.ts imports it.

export { LawBrokenError, type LawOptions } from "./law.js";
export { checkTool, type CheckToolOptions, type ToolReport } from "./tool.js";
