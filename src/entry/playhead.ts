// `playhead`: the deterministic runtime. Every public name of this door is listed here by hand; see docs/runtime.md.

export {
  // agents and runs
  createPluck,
  createRuntime,
  handoffText,
  type AgentDefinition,
  type AgentRuntime,
  type AgentVisit,
  type Plan,
  type PlanEdge,
  type RunEnd,
  type RunOptions,
  type RunResult,
  type RuntimeOptions,
} from "../core/index.js";
export {
  // providers
  anthropicProvider,
  bedrockProvider,
  cohereProvider,
  echoProvider,
  fallbackProvider,
  geminiProvider,
  loadWire,
  ollamaProvider,
  openaiProvider,
  responsesProvider,
  scriptedProvider,
  type LlmMessage,
  type LlmProviderAdapter,
  type LlmSettings,
  type LlmStreamEvent,
  type LlmToolCall,
  type LlmToolDefinition,
  type LlmTurnRequest,
  type LlmTurnResponse,
  type Reasoning,
  type Usage,
} from "../core/index.js";
export {
  // tools and memory
  createInMemoryRuntimeMemory,
  defineTool,
  type CustomTool,
  type CustomToolContext,
  type JsonObject,
  type JsonValue,
  type RuntimeMemory,
  type ToolPolicy,
  type VerbBodies,
} from "../core/index.js";
export {
  // prices and budgets
  ANTHROPIC_PRICING,
  CHARACTERS_PER_TOKEN,
  COHERE_PRICING,
  costOf,
  GEMINI_PRICING,
  MISTRAL_PRICING,
  OPENAI_PRICING,
  PRICING_DATE,
  TOKENS_PER_IMAGE,
  type Pricing,
  type Rate,
} from "../core/index.js";
export {
  // events and receipts
  createEventBroadcast,
  createEventLog,
  createHlc,
  createSigner,
  toTraceEvent,
  verifyReceipts,
  type AgentEvent,
  type EventLog,
  type Receipt,
  type TraceEvent,
} from "../core/index.js";
export {
  // canonical JSON and ports
  canonicalize,
  type Ports,
} from "../core/index.js";
export {
  // errors
  AgentError,
  LlmProviderHttpError,
  ProvidersExhaustedError,
  ToolArgError,
  ToolPolicyError,
  type AgentErrorCode,
} from "../core/index.js";
