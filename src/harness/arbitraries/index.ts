// The door of the arbitraries. Only src/entry/fast-check.ts imports it, since they need the optional peer fast-check.

export { argumentsFor, type SchemaArguments } from "./arguments.js";
export { budgetLimits, spending, type SpentTurn } from "./budgets.js";
export { answerOf, cassette, cassetteOf, turnsOf, type AskedTurn } from "./cassettes.js";
export { changedJson, changesOf, type JsonChange } from "./changes.js";
export { providerFault, toFaultError, type ProviderFault } from "./faults.js";
export { jsonObject, jsonValue, TRAP_KEYS, type JsonOptions } from "./json.js";
export { contentPart, conversation, message, reasoning, type ConversationOptions } from "./messages.js";
export { notJson, type NotJson } from "./not-json.js";
export { handoffGraph, planOf, type GraphEdge, type HandoffGraph, type HandoffGraphOptions } from "./plans.js";
export { toolSchema, type SchemaCase } from "./schemas.js";
export { faultyScript, providerScript, toScriptSteps, type ScriptOptions, type ScriptTurn } from "./scripts.js";
export { AWKWARD_TEXTS, text, word } from "./text.js";
export { hostileArguments, malformedArguments, toolCall, toolDefinition } from "./tools.js";
export { usage } from "./usage.js";
