// The entrance of the core. Other layers import only this file.

export * from "./errors.js";
export { defined } from "./defined.js";
export { createGetters, createPrivateField } from "./properties.js";
export {
  DEFAULT_LEASE_MS,
  DEFAULT_MAX_ATTEMPTS,
  DEFAULT_TOOL_TIMEOUT_MS,
  MAX_ARGUMENT_CHARACTERS,
  MAX_ARGUMENT_VALUES,
  MAX_CLOCK_DRIFT_MS,
  MAX_CONVERSATION_ENTRIES,
  MAX_ENTRY_CHARACTERS,
  MAX_FORMAT_LENGTH,
  MAX_JSON_DEPTH,
  MAX_RATE,
  MAX_RECEIPT_FINDINGS,
  MAX_RESULT_CHARACTERS,
  MAX_RUNTIME_STATE_BYTES,
  MAX_STORE_ID_CHARACTERS,
  MAX_STORE_WAIT_MS,
  MAX_STORED_VALUE_BYTES,
  MAX_TIMER_MS,
  MAX_UNIQUE_CONTAINERS,
  MAX_UNIQUE_ITEMS,
  MEMORY_GRACE_MS,
  MEMORY_TIMEOUT_MS,
  RECEIPT_TIMEOUT_MS,
} from "./limits.js";
export { assertKnownOptions, isObject, unknownOptions } from "./options.js";
export * from "./ports.js";
export { plural, shorten, showValue } from "./text/show.js";
export { isDeviceName } from "./text/device-name.js";
export { markInvisible, toVisible, toVisibleJson, toVisibleLines } from "./text/visible.js";
export { canonicalize } from "./canon/json.js";
export { copyJson, isSealed, seal, sealedLevels } from "./canon/copy.js";
export { endOfString, findTooDeep, parseBoundedJson, tryParseJson } from "./canon/bounded-json.js";
export { findDropped, findDroppedArgument, sameDecimal } from "./canon/exact.js";
export {
  isPlainObject,
  NotJsonError,
  setOwn,
  type JsonObject,
  type JsonValue,
  type NotJsonReason,
} from "./canon/value.js";
export { assertObjects, assertStoreId, isStoreId, ownStoredValue, storeFailed } from "./canon/stored-value.js";
export { parsePointer, toPointer, valueAt } from "./canon/pointer.js";
export { createSha256, hashJson, sha256Hex, type Sha256 } from "./canon/digest.js";
export { createSigner, verifySignature, type Signer } from "./canon/signature.js";
export { decodeExactUtf8, decodeUtf8, fromBase64, fromHex, joinBytes, toBase64, toHex } from "./canon/bytes.js";
export * from "./canon/key.js";
export { preAuthEncode, toEnvelope, type DsseEnvelope, type DsseSignature } from "./canon/dsse.js";
export * from "./model/message.js";
export * from "./model/usage.js";
export { costOf, findRate, findRateName, priceOf, PRICING_DATE, type Pricing, type Rate } from "./model/pricing.js";
export * from "./model/provider.js";
export { answerAhead, tellAhead } from "./model/stream.js";
export type { MemoryScope, RunMemory, RuntimeMemory } from "./model/memory.js";
export * from "./memory/memory.js";
export { createHlc, parseHlc, type Hlc, type HlcParts, type HlcStamp } from "./time/hlc.js";
export { findMessageFlaw, findResponseFlaw, type ResponseFlaw } from "./model/response.js";
export * from "./tools/argument-check.js";
export { eachSchema } from "./tools/argument-bounds.js";
export type {
  ToolCallDecision,
  ToolPolicy,
  ToolPolicyCall,
  ToolPolicyResult,
  ToolResultDecision,
  ToolResultStatus,
} from "./tools/policy-decision.js";
export { toResultText, type ResultText } from "./tools/result.js";
export { thrownText } from "./text/thrown.js";
export * from "./tools/tool.js";
export {
  READ_ONLY_VERBS,
  VERB_NAMES,
  VERBS,
  type VerbBodies,
  type VerbBody,
  type VerbContext,
  type VerbName,
  type VerbSet,
} from "./tools/verbs.js";
export type { AgentEvent, EventBody, EventDetail } from "./events/event.js";
export * from "./events/log.js";
export { createEventBroadcast, type EventBroadcast, type Lagged } from "./events/broadcast.js";
export { toTraceEvent, type TraceCapability, type TraceEvent, type TraceName } from "./events/trace.js";
export {
  RECEIPT_PAYLOAD_TYPE,
  RECEIPT_VERSION,
  type Receipt,
  type ReceiptBody,
  type ReceiptOutcome,
} from "./receipts/receipt.js";
export * from "./receipts/chain.js";
export type { ReceiptListener } from "./receipts/writer.js";
export {
  verifyReceipts,
  type ReceiptFinding,
  type ReceiptFindingKind,
  type ReceiptVerdict,
} from "./receipts/verify.js";
export { createBudget, type Budget, type BudgetCap, type BudgetLimits } from "./loop/budget.js";
export { CHARACTERS_PER_TOKEN, TOKENS_PER_IMAGE } from "./loop/estimate.js";
export type { OnToolError } from "./loop/calls.js";
export type { AgentDefinition } from "./runtime/agent.js";
export { handoffText, type Handoff, type Plan, type PlanEdge } from "./runtime/plan.js";
export { createPluck, type InstanceVerb, type PluckInstance, type PluckOptions } from "./runtime/pluck.js";
export * from "./runtime/runtime.js";
export type { RunEnd, RunResult } from "./runtime/run-plan.js";
export type { AgentVisit } from "./runtime/visit.js";
export { ANTHROPIC_PRICING } from "./vendors/anthropic/prices.js";
export { COHERE_PRICING } from "./vendors/cohere/prices.js";
export { GEMINI_PRICING } from "./vendors/gemini/prices.js";
export { MISTRAL_PRICING, OPENAI_PRICING } from "./vendors/openai/prices.js";
export type { AnthropicOptions } from "./vendors/anthropic/traits.js";
export { echoProvider } from "./providers/echo.js";
export { fallbackProvider, type FallbackOptions } from "./providers/fallback.js";
export { ProvidersExhaustedError, type FallbackAttempt, type FallbackStart } from "./providers/fallback/failure.js";
export type { Backoff } from "./providers/fallback/backoff.js";
export { noteSteps, stepsOf, type AnswerStep } from "./providers/fallback/told.js";
export type { FallbackEntry } from "./providers/fallback/entry.js";
export type { AuthFailure, Refusal } from "./providers/fallback/retry.js";
export type { OllamaOptions } from "./vendors/ollama/traits.js";
export {
  anthropicProvider,
  cohereProvider,
  bedrockProvider,
  geminiProvider,
  loadWire,
  ollamaProvider,
  openaiProvider,
  responsesProvider,
} from "./vendors/providers.js";
export type { OpenAiOptions } from "./vendors/openai/traits.js";
export type { ResponsesOptions } from "./vendors/responses/traits.js";
export { scriptedProvider, type ScriptedProvider, type ScriptStep } from "./providers/scripted.js";
export { joinSignals } from "./time/signal.js";
export { isThenable, sleep, untilAborted, within } from "./time/wait.js";
export { argumentsText, toArguments } from "./providers/calls.js";
export { maskSecrets, quoteForeign } from "./text/mask.js";
export { isRetryableStatus, kindForStatus } from "./http/status.js";
export { encodeAnthropic, type AnthropicEncoding } from "./vendors/anthropic/encode.js";
export { encodeOpenAi, type MaxTokensField, type OpenAiEncoding } from "./vendors/openai/encode.js";
export type { KeyedVendorOptions, VendorOptions } from "./providers/vendor-options.js";
export type { StreamDecoder } from "./providers/stream.js";
export type { Decoding } from "./http/json-readers.js";
export type { CollectedAnswer, PassedParts } from "./vendors/answer.js";
export { cutAs, type Cut, type TimedEvent, type TimedStreamDelta, type TimedText, type WireChunk } from "./wire/cut.js";
export type { HttpFault, HttpFaultName, WireFailure } from "./wire/failure.js";
export {
  createHeldConversations,
  type HeldConversations,
  type KeepAnswer,
  type ResolvedBody,
} from "./wire/held-conversations.js";
export { findHeldState, type HeldState } from "./wire/held-state.js";
export type { WireStamp } from "./wire/pieces.js";
export type { WireRequest, WireTurn } from "./wire/turn.js";
export type { Vendor, Wire } from "./vendors/vendor.js";
export type { Traits } from "./vendors/traits.js";
export * from "./vendors/table.js";
export { throughWire } from "./vendors/through-wire.js";
export { followerOf, holderOf, vendorProvider, VENDORS, wireOf } from "./vendors/vendors.js";
// Types of the face on one environment value. Its code is behind its own door.
export type { EventMessage, Env } from "./env/env.js";
export type { Hook, ToolCall as HookToolCall } from "./env/hook.js";
export type { EnvEvent } from "./env/run/event.js";
export type { ConversationEntry } from "./env/storage/entry.js";
export type {
  ConversationRef,
  ConversationStore,
  Skill,
  SkillStore,
  SkillSummary,
  Storage,
} from "./env/storage/storage.js";
// Types of the face of sessions: what a host implements.
export type { SessionEvent } from "./session/event.js";
export type { Refused, SessionStore, StoredSession } from "./session/ports/session-store.js";
export type {
  ClaimOptions,
  CreateOptions,
  Kept,
  NewRun,
  RunChange,
  RunExpectation,
  RunFailure,
  RunKind,
  RunRecord,
  RunStatus,
  RunStore,
  Taken,
} from "./session/ports/run-store.js";
export type {
  CheckpointPhase,
  CheckpointStore,
  RunCheckpoint,
  ToolExecutionCheckpoint,
} from "./session/ports/checkpoint-store.js";
export type { EventCursor, EventStore, StoredSessionEvent } from "./session/ports/event-store.js";
export type { NewNotification, NotificationInbox, NotificationRecord } from "./session/ports/notification-inbox.js";
export type {
  Delivery,
  ExecutionHost,
  ExecutionScheduler,
  ExecutionStore,
  ExecutionStorePorts,
} from "./session/ports/execution-host.js";
