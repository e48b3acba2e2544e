// Every limit of this layer on what it accepts, keeps or computes, every default limit, and every waiting time. A constant that only
// decides how much a message or report shows (`SHOWN_…`), or that tunes an algorithm, stays where it is used.

// JSON
/** Levels of nested containers. Deeper values are refused, which also bounds the recursion. */
export const MAX_JSON_DEPTH = 128;

// Time
/** Longest delay in ms of a timer. A longer one would fire at once. */
export const MAX_TIMER_MS = 2_147_483_647;
/** How far ahead of the wall clock a received stamp may be, in ms: a day, more than the error of a wrong time zone. */
export const MAX_CLOCK_DRIFT_MS = 24 * 60 * 60 * 1000;
/** Latest time of a stamp: half of what 12 hex digits hold, the year 6429. The other half is for counters that overflow. */
export const MAX_HLC_WALL_MS = 2 ** 47 - 1;
/** Highest counter of a stamp: four hex digits. The next one borrows a millisecond from the future. */
export const MAX_HLC_COUNTER = 2 ** 16 - 1;

// Text of others
/** Characters of foreign text that an error quotes. */
export const MAX_SNIPPET_LENGTH = 500;
/** Characters of foreign text that are searched for keys before the snippet is cut from them. */
export const MAX_SNIPPET_SOURCE_LENGTH = 8192;
/** Characters kept of what a policy threw. */
export const MAX_CAUSE_CHARACTERS = 500;

// Vendors' answers
/** Default limit in bytes for a whole answer. */
export const DEFAULT_MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
/** Default limit in bytes for a streamed answer. A token of a few letters takes about 300 bytes. */
export const DEFAULT_MAX_STREAM_BYTES = 256 * 1024 * 1024;
export const MAX_ERROR_BODY_BYTES = 8 * 1024;
/** Longest wait in ms for the body of an error. The bytes that came until then are quoted. */
export const MAX_ERROR_BODY_WAIT_MS = 5_000;
/** Characters of one event or line: a vendor that sends no line ends would fill the memory. */
export const MAX_STREAM_PART = 16 * 1024 * 1024;
/** Calls, blocks, content parts or reasoning details of one answer, since each takes more memory than bytes. */
export const MAX_ANSWER_ITEMS = 10_000;
/** Longest wait in ms that a vendor can cause: 24 hours. */
export const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1000;
/** Nesting of a call's arguments. A cassette wraps them in up to eight containers: below `MAX_JSON_DEPTH`. */
export const MAX_WIRE_ARGUMENT_DEPTH = 100;

// Providers
/** Highest figure of a price. With it, the price of any count of tokens is a finite number. */
export const MAX_RATE = 1_000_000;
/** Losses that one provider warns about: a hostile vendor could name new ones for ever. */
export const MAX_WARNED_LOSSES = 20;
/** Models that one provider warns about: a caller may name any number of them. */
export const MAX_WARNED_MODELS = 20;
/** Default pause in ms of a provider whose attempts ended in temporary failures. */
export const DEFAULT_FALLBACK_COOLDOWN_MS = 30_000;
/** Default longest wait in ms for a vendor. One that wants a longer wait is left for the next entry. */
export const DEFAULT_MAX_FALLBACK_WAIT_MS = 60_000;
/** Time limit in ms for refreshing a key if the request sets no limit. */
export const DEFAULT_REFRESH_TIMEOUT_MS = 60_000;

/** The smallest budget for thinking: what Anthropic, the one vendor with such a budget, accepts. */
export const MIN_THINKING_TOKENS = 1_024;

// Tools
/** Nested containers in the arguments, the arguments object included. */
export const MAX_ARGUMENT_DEPTH = 64;
/** Characters in all strings and keys of one call's arguments. */
export const MAX_ARGUMENT_CHARACTERS = 1024 * 1024;
/** Values in one call's arguments, including containers. */
export const MAX_ARGUMENT_VALUES = 100_000;
/** Longest string checked against a `format`, as some of their expressions are quadratic. */
export const MAX_FORMAT_LENGTH = 8192;
/** Longest array checked against `uniqueItems`, which compares all pairs of items. */
export const MAX_UNIQUE_ITEMS = 2000;
/** Longest array of arrays or objects checked against `uniqueItems`, as comparing large items takes longer. */
export const MAX_UNIQUE_CONTAINERS = 200;
/** Characters of one tool result that reach the model. The rest is cut off, visibly. */
export const MAX_RESULT_CHARACTERS = 20_000;
export const MAX_SUMMARY_CHARACTERS = 500;
/** Characters that are masked before the summary is cut from them, since half a key would not look like one. */
export const MAX_SUMMARY_SOURCE_CHARACTERS = 8192;
/** Milliseconds a tool may take unless it or its agent sets another limit: ten minutes. */
export const DEFAULT_TOOL_TIMEOUT_MS = 600_000;
/** Characters of a URI in the arguments of a verb. */
export const MAX_URI = 8_192;
/** Characters of a query in the arguments of a verb. */
export const MAX_QUERY = 1_000;

// Runs
export const DEFAULT_MAX_TURNS = 50;
export const DEFAULT_MAX_TOOL_CALLS = 200;
export const DEFAULT_MAX_AGENT_VISITS = 8;
/** Milliseconds that `AgentRuntime.destroy` waits for a provider's `destroy()`. */
export const PROVIDER_GRACE_MS = 5_000;
/** Events kept per run. Later ones still reach the listener, and `dropped` counts them. */
export const MAX_KEPT_EVENTS = 200_000;

// Events to many readers
/** Highest number of unread items that a broadcast holds for one reader. */
export const MAX_BROADCAST_CAPACITY = 1_000_000;
/** Readers of one broadcast. */
export const MAX_BROADCAST_READERS = 1_000;

// Conversations
/** Characters of a conversation's id. A longer one is replaced by its hash. */
export const MAX_CONVERSATION_ID_CHARACTERS = 200;
/** Entries of one conversation. */
export const MAX_CONVERSATION_ENTRIES = 1_000_000;
/** Entries that are read at once. */
export const CONVERSATION_PAGE = 256;
/** Characters of one entry, as JSON. */
export const MAX_ENTRY_CHARACTERS = 8_388_608;
/** Characters of the content of one message that is sent to an agent. */
export const MAX_CONTENT_CHARACTERS = 1_048_576;
/** Characters of the instructions that an environment discovers. */
export const MAX_INSTRUCTIONS_CHARACTERS = 262_144;
/** Default number of conversations that a runtime holds in memory. */
export const DEFAULT_MAX_CONVERSATIONS = 1_000;
/** Milliseconds that a run waits for its conversation to be read or written. */
export const STORAGE_TIMEOUT_MS = 30_000;
/** Highest number of times that a task can be handed on. */
export const MAX_DELEGATION_DEPTH = 100;
/** Characters of a skill's description that a tool definition shows. */
export const MAX_SKILL_DESCRIPTION = 200;

// Sessions
/** Characters of a session's key. */
export const MAX_SESSION_KEY_CHARACTERS = 512;
/** Characters of one input of a session, as JSON. */
export const MAX_INPUT_CHARACTERS = 8_388_608;
/** Inputs that wait in one session of one process. */
export const MAX_WAITING_INPUTS = 1_000;
/** Sessions without work that an agent holds in memory. Beyond it, the one that was unused for longest is read again at its next use. */
export const MAX_IDLE_SESSIONS = 1_000;
/** Texts that the memory plugin keeps in one namespace. */
export const MAX_KEPT_NOTES = 1_000;
/** Characters of one of them. */
export const MAX_NOTE_CHARACTERS = 20_000;
/** Milliseconds that a session waits for its store. */
export const STORE_TIMEOUT_MS = 30_000;
/** How often a write to an execution store is tried again. */
export const STORE_RETRIES = 5;
/** Milliseconds before the first of these tries. Each later wait is twice as long. */
export const STORE_RETRY_MS = 20;
/** Milliseconds between two tries to give a run back to a store that fails for now. */
export const GIVE_BACK_MS = 1_000;
/** Milliseconds until a run that waits for its session looks again, at first and at most. */
export const FIRST_HEAD_WAIT_MS = 50;
export const MAX_HEAD_WAIT_MS = 2_000;
/** Milliseconds that an input leaves the run before it to a worker of a durable host. Then it takes that run itself. */
export const WORKER_GRACE_MS = 30_000;
/** Milliseconds until a run that was delivered while its session was busy is delivered again. */
export const BUSY_REDELIVERY_MS = 1_000;
/** Background jobs of one session whose end its model has not learnt. */
export const MAX_ACTIVE_JOBS = 64;
/** Background jobs that one session knows of. Beyond it, the oldest that has ended is forgotten. */
export const MAX_KNOWN_JOBS = 256;
/** Sessions of subagents under one session. */
export const MAX_CHILD_SESSIONS = 1_000;
/** Milliseconds that `background_output` waits for a job, and the most that a model may ask for. */
export const DEFAULT_JOB_WAIT_MS = 60_000;
export const MAX_JOB_WAIT_MS = 600_000;
/** Time limit of a call of `background_output` or `background_cancel`, above the longest wait. */
export const JOB_TOOL_TIMEOUT_MS = 610_000;
/** Characters that a model reads of a subagent's answer. */
export const MAX_CHILD_TEXT = 20_000;
/** Events of one subagent's run that its parent tells of. */
export const MAX_CHILD_UPDATES = 200;
/** Milliseconds that a replay waits for a job that had ended at this place when it was recorded. */
export const ARRIVAL_WAIT_MS = 30_000;
/** Milliseconds that `kill`, `delete` and `close` wait for work that they aborted, and that `close` gives a running tool before. */
export const SESSION_GRACE_MS = 5_000;
/** Milliseconds that the setup, a hook or a listener of a plugin may take: as many as a tool by default. */
export const HOOK_TIMEOUT_MS = 600_000;

// Memory
/** Keys of one in-memory store, over all its scopes. */
export const MAX_MEMORY_KEYS = 100_000;
/** Characters of scopes, keys and JSON texts of one in-memory store. */
export const MAX_MEMORY_CHARACTERS = 67_108_864;
/** Milliseconds that the end of a run, and `destroy`, wait for the memory to forget what was shared. */
export const MEMORY_GRACE_MS = 5_000;
/** Milliseconds that a run waits for its memory to read or write. */
export const MEMORY_TIMEOUT_MS = 30_000;

// Conversations that a vendor's server holds
/** Ids of answers and items that one door keeps. With more, those that were unused for longest are forgotten. */
export const MAX_HELD_IDS = 100_000;
/** Characters, as JSON, of the conversations that one door keeps. */
export const MAX_HELD_CHARACTERS = 67_108_864;

// Receipts
/** Most receipts that wait for a pause of the loop. With one more, the oldest is signed at once. */
export const MAX_DEFERRED_RECEIPTS = 5_000;
/** Receipts kept in memory. Later ones are still signed and delivered. */
export const MAX_KEPT_RECEIPTS = 100_000;
/** Receipts that may wait to be signed. One more ends the chain. */
export const MAX_PENDING_RECEIPTS = 10_000;
/** Findings that are listed. `more` counts the others. */
export const MAX_RECEIPT_FINDINGS = 1000;
/** Time limit in ms for one signature, and for one delivery. */
export const RECEIPT_TIMEOUT_MS = 30_000;

// Vertices
/** Turns of a vertex that may be answered with tool calls. */
export const DEFAULT_MAX_TOOL_TURNS = 16;
/** Turns in a row of a vertex that may ask only for refused calls. */
export const DEFAULT_MAX_TOOL_CORRECTIONS = 3;
/** Characters of one `{{ … }}` of a template. */
export const MAX_EXPRESSION_CHARACTERS = 65_536;
/** References of one template. */
export const MAX_TEMPLATE_REFERENCES = 1_000;
/** Characters of a template that is filled in. */
export const MAX_PROMPT_CHARACTERS = 8_388_608;
/** Sets of granted tools that an executor keeps ready. */
export const MAX_KEPT_GRANTS = 256;

// Sessions
/** UTF-16 units of an id or key that a store of sessions keeps. */
export const MAX_STORE_ID_CHARACTERS = 1_024;
/** Bytes of canonical JSON of one stored value. */
export const MAX_STORED_VALUE_BYTES = 8 * 1024 * 1024;
/** Bytes of canonical JSON of the state in a checkpoint. What grows belongs into its journal. */
export const MAX_RUNTIME_STATE_BYTES = 64 * 1024;
/** Sessions of one store in memory. */
export const MAX_STORED_SESSIONS = 100_000;
/** Runs, and notifications, of one execution host in memory. */
export const MAX_HOST_RUNS = 100_000;
/** Runs that have ended and that a host in memory still knows. With one more, the oldest is forgotten. */
export const MAX_ENDED_RUNS = 10_000;
/** Events that are read at once. */
export const EVENT_PAGE = 256;
/** Milliseconds that a transaction may take, and that a call to a store in memory waits for one. */
export const MAX_STORE_WAIT_MS = 30_000;
/** Milliseconds between two looks of the host in memory for runs that nobody works on. */
export const MEMORY_SWEEP_MS = 5_000;
/** Default milliseconds of a lease. */
export const DEFAULT_LEASE_MS = 300_000;
/** Claims of a run without a checkpoint after which it is given up. */
export const DEFAULT_MAX_ATTEMPTS = 10;

// Agent processes
/** Bytes of the name of an agent at the head of a frame. */
export const MAX_TOPIC_BYTES = 64;
/** Bytes of a marker's name. */
export const MAX_MARKER_BYTES = 255;
/** Bytes of the provenance of one message. */
export const MAX_TRACE_BYTES = 65_536;
/** Agents that a provenance names: the last ones. */
export const MAX_HOPS = 64;
/** Results that an agent holds pinned. With one more, the oldest is removed. */
export const MAX_PINS = 20;
/** Default answers of an agent that do not match its output before the message fails, the first one not counted. */
export const DEFAULT_MAX_RETRIES = 3;
/** Characters of a message that asks for another answer. */
export const MAX_RETRY_CHARACTERS = 500;
/** Characters of a model's name in a control message. */
export const MAX_MODEL_CHARACTERS = 200;
/** Characters of a summary in the telemetry of a tool call. */
export const MAX_TELEMETRY_SUMMARY = 200;
/** Default of `max_tokens` of an agent process. */
export const DEFAULT_ANSWER_TOKENS = 8_192;
/** Control messages that wait until no message is in progress. */
export const MAX_PENDING_CONTROLS = 1_000;
