// Every limit of this layer on what it accepts, keeps or computes, every default limit, and every waiting time. A constant that only
// decides how much a message or report shows (`SHOWN_…`), or that tunes an algorithm, stays where it is used.

// Files
/** Bytes of a last line that can be repaired. */
export const MAX_REPAIRED_LINE_BYTES = 64 * 1024 * 1024;
/** A call of the file system that takes longer than this time in ms waited for a disk or for a busy processor. */
export const SLOW_CALL_MS = 1;
/** Age in ms after which a temporary file counts as abandoned: no write takes a day, so its writer has ended. */
export const STALE_FILE_MS = 24 * 60 * 60 * 1000;

// Threads
export const MAX_THREADS = 64;
/** Default limit of threads. More are rarely faster, and each takes about 100 MB. */
export const DEFAULT_MAX_THREADS = 16;
/** How long in ms this thread works alone before it estimates the remaining time. */
export const THREAD_LEARN_MS = 250;
/** Remaining work in ms that is worth a thread, which takes about half a second of processor time to load its modules. */
export const THREAD_WORTH_MS = 2_000;
/** Memory of a thread for new values, in MiB. Threads only pass data through, and more would only delay their garbage collection. */
export const MAX_THREAD_YOUNG_MB = 8;

// Memory in SQLite
/** Limit of a scope and of a key, in characters (UTF-16 code units). */
export const MAX_MEMORY_NAME_CHARACTERS = 1_024;
/** Limit of one value, in characters of canonical JSON. */
export const MAX_MEMORY_VALUE_CHARACTERS = 8_388_608;
/** Default limit of the file in bytes: 1 GiB. */
export const DEFAULT_MAX_MEMORY_FILE_BYTES = 1_073_741_824;
/** Default time in ms to wait for another process to release the file. */
export const DEFAULT_BUSY_TIMEOUT_MS = 5_000;
export const MAX_BUSY_TIMEOUT_MS = 600_000;
/** Milliseconds between two attempts to open a busy file. */
export const BUSY_PAUSE_MS = 10;

// Durable store of sessions
export const MAX_RUN_EVENTS = 200_000;
/** Lowest limit of the file in bytes: its empty tables take half of it. */
export const MIN_HOST_FILE_BYTES = 262_144;
/** Default limit of the file in bytes: 4 GiB. */
export const DEFAULT_MAX_HOST_FILE_BYTES = 4_294_967_296;
/** Longest delay of a run, and longest interval of a schedule, in ms: 366 days. */
export const MAX_SCHEDULE_MS = 31_622_400_000;
/** Calls of one process that may wait for their transaction. */
export const MAX_WAITING_TRANSACTIONS = 100_000;
/** Longest pause in ms between two attempts to begin a transaction on a busy file. */
export const MAX_BUSY_PAUSE_MS = 20;
/** Times that a transaction runs again after a conflict with another one. */
export const MAX_TRANSACTION_RERUNS = 5;
/** Time in ms that a statement waits for a lock of PostgreSQL. */
export const MAX_LOCK_WAIT_MS = 10_000;
/** Time in ms after which PostgreSQL ends a transaction whose process sends nothing. Longer than the limit of a transaction. */
export const MAX_IDLE_TRANSACTION_MS = 35_000;
/** Time in ms for a rollback, and for an answer of the connection with the life lock. */
export const ROLLBACK_MS = 5_000;
/** Connections of the pool that a host opens for a connection string. */
export const DEFAULT_POOL_CONNECTIONS = 10;
/** Attempts of a tool with an effect in the database, if connections are lost. */
export const MAX_EFFECT_ATTEMPTS = 5;
/** Time in ms for a new connection. */
export const MAX_CONNECT_MS = 10_000;
/** How often in ms the connection with the life lock is tested. */
export const LINE_TEST_MS = 5_000;
/** First and longest wait in ms before a lost connection is opened again. */
export const FIRST_RECONNECT_MS = 100;
export const MAX_RECONNECT_MS = 2_000;
/** Time in ms in which wake-ups for other processes are joined. */
export const WAKE_UP_MS = 10;
/** Runs that one wake-up may name. A server takes 8,000 bytes. */
export const MAX_NEWS_RUNS = 100;
/** How often in ms a host without wake-ups looks for commits of other processes. */
export const POLL_MS = 1_000;
/** A host without a life lock must be seen twice, this time in ms apart, before it counts as dead. */
export const DEAD_MS = 2_000;
/** Time in ms that hosts have to take their life locks again after a start of the server. */
export const SERVER_START_MS = 15_000;
/** A pool with fewer connections slows its host down. */
export const MIN_POOL_CONNECTIONS = 4;
/** Limits of a lease in ms. */
export const MIN_HOST_LEASE_MS = 1_000;
export const MAX_HOST_LEASE_MS = 3_600_000;
/** Time in ms between two sweeps. */
export const DEFAULT_SWEEP_MS = 5_000;
export const MAX_SWEEP_MS = 30_000;
export const MAX_HOST_ATTEMPTS = 1_000;
/** Deliveries of one worker at once. */
export const DEFAULT_WORK_CONCURRENCY = 16;
export const MAX_WORK_CONCURRENCY = 1_000;
export const MAX_WORK_NAMESPACES = 100;
/** How often in ms a host looks for commits of other processes. */
export const PULSE_MS = 100;
/** How often in ms a worker looks for dead hosts. */
export const REAP_MS = 1_000;
/** A delivered run that nobody claims is delivered again after this time in ms. */
export const REDELIVERY_MS = 5_000;
/** How often in ms a worker looks whether a full queue has room again. */
export const QUEUE_LOOK_MS = 250;
/** Wait in ms after the first failed delivery of a run. Each further wait is twice as long. */
export const FIRST_RETRY_MS = 1_000;
/** Longest wait in ms after a failed delivery. */
export const MAX_RETRY_MS = 60_000;
/** A ready run without a lease is due within this time in ms. A later time comes from a wall clock that was set back. */
export const MAX_DUE_MS = MAX_RETRY_MS + REDELIVERY_MS;
/** Default time in ms that a stopping worker gives its deliveries to end. */
export const DEFAULT_STOP_GRACE_MS = 30_000;
export const MAX_STOP_GRACE_MS = 3_600_000;
/** Time in ms for deliveries to end after their signal fired. */
export const STOP_ABORT_MS = 10_000;
/** Schedules of one namespace. */
export const MAX_SCHEDULES = 10_000;
/** Shortest interval of a schedule in ms. */
export const MIN_SCHEDULE_MS = 1_000;
/** Runs that one list returns. */
export const DEFAULT_LISTED_RUNS = 100;
export const MAX_LISTED_RUNS = 1_000;
/** Lowest age in ms of runs that can be pruned: a day. */
export const MIN_PRUNE_MS = 86_400_000;
/** Runs that one transaction prunes, so that others wait a short time. */
export const PRUNE_BATCH_ROWS = 200;
/** Difference in ms between the clocks that counts as a jump of the wall clock. */
export const CLOCK_JUMP_MS = 60_000;
/** Rows that one statement inserts. */
export const INSERT_ROWS = 100;
/** Rows that a reader takes at once. */
export const STORE_PAGE_ROWS = 100;

// Server
/** Default limit in bytes for the body of one request. */
export const DEFAULT_MAX_REQUEST_BYTES = 32 * 1024 * 1024;
/** Default limit in bytes for the bodies of all open requests together. */
export const DEFAULT_MAX_HELD_REQUEST_BYTES = 256 * 1024 * 1024;

// Fleet
export const MAX_FLEET_MEMBERS = 1_000;
/** Cells of one run: members times targets, or targets where any member may take one. */
export const MAX_FLEET_CELLS = 10_000;
/** Highest `concurrency` and `perMember`. */
export const MAX_FLEET_CONCURRENCY = 1_000;
export const MAX_FLEET_ATTEMPTS = 100;
/** Highest number of calls of a rate, and of failures of a breaker. */
export const MAX_FLEET_COUNT = 10_000;
/** Longest time in ms of a rate, a cooldown or a wait: a day. */
export const MAX_FLEET_WAIT_MS = 86_400_000;
export const MAX_CELL_MESSAGE_CHARACTERS = 1_000;
/** Default time in ms for which a machine holds a cell without a sign of life. */
export const DEFAULT_FLEET_LEASE_MS = 30_000;
/** Workers that a cell may lose. */
export const MAX_CELL_LOSSES = 5;
/** How often in ms a machine looks at the cells of the others. */
export const FLEET_LOOK_MS = 250;
/** Results that a reader takes at once. Each may have 8 MiB. */
export const FLEET_PAGE_ROWS = 16;
/** Time in ms for which a fleet tries to reach its store again. */
export const FLEET_PATIENCE_MS = 60_000;

// Verbs: requests
/** Default limit in bytes for a body or file. */
export const DEFAULT_MAX_FETCHED_BYTES = 2 * 1024 * 1024;
export const DEFAULT_VERB_TIMEOUT_MS = 30_000;
export const DEFAULT_MAX_REDIRECTS = 5;
export const MAX_BODY_ENCODINGS = 2;
/** Characters of an answer to `act`. The rest is cut off. */
export const MAX_ACT_ANSWER = 4_000;
/** Bytes read of a robots.txt. A parser must read at least this much (RFC 9309 §2.5). */
export const MAX_ROBOTS_BYTES = 512 * 1024;
/** Rules of a robots.txt. Later ones are ignored. */
export const MAX_ROBOTS_RULES = 10_000;
/** Characters of a rule's path. A longer rule is ignored. */
export const MAX_ROBOTS_PATH = 2_000;

// Verbs: files, search and memory
export const MAX_FOLDER_ENTRIES = 10_000;
/** Targets of one search, the best first. */
export const MAX_DOWSE_TARGETS = 20;
/** Files that one search opens. After them it is incomplete. */
export const MAX_DOWSE_FILES = 2_000;
/** Folders that one search opens. After them it is incomplete. */
export const MAX_DOWSE_FOLDERS = 500;
export const MAX_DOWSE_FILE_BYTES = 64 * 1024;
/** Characters of the line that describes a target. */
export const MAX_DOWSE_ABOUT = 160;
/** Words of a query. Further ones are ignored. */
export const MAX_QUERY_WORDS = 32;
/** Entries of memory that one call returns. */
export const MAX_CONTEXT_ENTRIES = 50;
/** Keys of a scope that are searched. */
export const MAX_CONTEXT_KEYS = 1_000;
/** Characters of one value. A longer one becomes text that says so. */
export const MAX_CONTEXT_VALUE_CHARACTERS = 4_000;
export const MAX_FILLED_CHARACTERS = 1024 * 1024;

// Verbs: pages
/** Bytes at the start of a page that are searched for its encoding. */
export const MAX_PRESCANNED_BYTES = 1024;
/** Bytes by which a file without a known type is recognised. */
export const MAX_SNIFFED_BYTES = 8192;
/** Bytes of a page in which its title is sought. */
export const MAX_TITLE_SOURCE_BYTES = 64 * 1024;
export const MAX_TITLE_CHARACTERS = 300;
export const MAX_LINK_TEXT_CHARACTERS = 200;
/** Links of one page or text. Further ones are ignored. */
export const MAX_PAGE_LINKS = 5_000;
/** Nested elements of a page, because the conversion recurses. */
export const MAX_HTML_DEPTH = 256;
/** Nested quotations and lists, whose prefixes multiply on each line. */
export const MAX_HTML_INDENTS = 32;
/** Elements and texts of a page. */
export const MAX_HTML_NODES = 100_000;
/** Nodes below elements without text, each counted per element. Turndown searches them about thirty times, in a second (measured). */
export const MAX_HTML_EMPTY_WORK = 50_000;
/** Working time of the parser in ms. A page of 2 MiB takes about two seconds (measured). */
export const MAX_HTML_PARSE_MS = 5_000;
/** Time in ms for the conversion to Markdown. */
export const MAX_HTML_CONVERT_MS = 10_000;
/** Memory in MiB for the conversion to Markdown. */
export const MAX_HTML_CONVERT_MIB = 512;
/** Default limit of characters in one extract. As JSON text they fit into the result of a tool call. */
export const DEFAULT_MAX_EXTRACTED_CHARACTERS = 10_000;
export const DEFAULT_MAX_EXTRACTED_LINKS = 100;
export const MAX_EXTRACTED_JSON_DEPTH = 100;

// Prompt files
/** Default limit in bytes of a file that a prompt template reads. */
export const MAX_PROMPT_FILE_BYTES = 1_048_576;

// Storage and environment of conversations
/** Default limit in bytes of each file of a storage: 16 GiB. */
export const DEFAULT_MAX_STORAGE_FILE_BYTES = 17_179_869_184;
/** Bytes of one skill. */
export const MAX_SKILL_BYTES = 65_536;
export const MAX_SKILLS = 1_000;
/** Bytes of one instruction file. */
export const MAX_INSTRUCTION_BYTES = 65_536;
/** Folders from the root down to the working folder, both included. */
export const MAX_INSTRUCTION_FOLDERS = 16;
/** Default number of unread events that are held for one reader. */
export const DEFAULT_EVENT_CAPACITY = 1_024;

// Sessions in a folder
/** Bytes of the file of one version: the largest state with its key. */
export const MAX_SESSION_FILE_BYTES = 9 * 1024 * 1024;
/** Times that a call looks again because another process wrote meanwhile. */
export const MAX_SESSION_LOOKS = 1_000;

// Agent processes
/** Bytes of one line or frame. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** Bytes of one frame of ZeroMQ: a message with its topic and its provenance. */
export const MAX_FRAME_BYTES = MAX_LINE_BYTES + 128 * 1024;
/** Frames that a socket takes ahead of its reader. */
export const MAX_QUEUED_FRAMES = 64;
/** Bytes of the path of a local socket. Systems allow 104 or 108, with one for the end. */
export const MAX_IPC_PATH_BYTES = 103;
/** Milliseconds that an ending process waits until its output is taken. */
export const ZMQ_LINGER_MS = 30_000;
/** Milliseconds that an ending agent waits for the readers of its other streams. */
export const ZMQ_SIDE_END_MS = 1_000;
/** Milliseconds without a frame after which no more output of an exited agent is expected. */
export const ZMQ_QUIET_MS = 1_000;
/** Messages that an agent reads ahead. */
export const MAX_QUEUED_INPUTS = 16;
/** Bytes that an agent reads ahead where control shares the stream with its messages. */
export const MAX_QUEUED_BYTES = 64 * 1024 * 1024;
/** Bytes of telemetry that a slow reader leaves unsent before the oldest are dropped. */
export const MAX_TELEMETRY_BYTES = 8 * 1024 * 1024;
/** Lines that are not JSON before only one in a thousand is reported. */
export const MAX_BAD_LINES = 100;
/** Characters of an error or a warning of an agent process. */
export const MAX_REPORTED_CHARACTERS = 10_000;
/** Bytes of a spec. */
export const MAX_SPEC_BYTES = 1_048_576;
/** Bytes of the standard error of an agent that an error quotes. */
export const MAX_STDERR_TAIL_BYTES = 65_536;
/** Default milliseconds that a fabric waits for an agent to be ready. */
export const DEFAULT_READY_MS = 30_000;
/** Default milliseconds that a fabric waits for agents to end by themselves. */
export const DEFAULT_FABRIC_GRACE_MS = 5_000;
/** Milliseconds that a cancelled fabric waits for its filters and maps. */
export const INLINE_GRACE_MS = 2_000;
/** Default messages that an agent of a fabric holds. */
export const DEFAULT_FABRIC_WINDOW = 16;
/** Default messages of one fabric. */
export const DEFAULT_MAX_MESSAGES = 100_000;
/** Milliseconds that a replaying fabric or agent waits for the message that its schedule names. */
export const SCHEDULE_PATIENCE_MS = 30_000;
/** Tool calls of one agent that a fabric runs at a time. */
export const MAX_RUNNING_TOOL_CALLS = 100;
/** Unread replies to control messages that are kept. Beyond that, the oldest are dropped. */
export const MAX_UNREAD_REPLIES = 1_000;
