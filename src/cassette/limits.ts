// Every limit of this layer on what it accepts, keeps or computes, every default limit, and every waiting time. A constant that only
// decides how much a message or report shows (`SHOWN_…`), or that tunes an algorithm, stays where it is used.

// Files
/** Default limit in bytes for a cassette, bundle or log: 64 MiB. */
export const DEFAULT_MAX_FILE_BYTES = 64 * 1024 * 1024;
/** Characters of a cassette's name in a bundle. Most file systems take 255 bytes. */
export const MAX_CASSETTE_NAME = 200;
/** Characters of an agent's id in a file name. A longer id is cut and gets its hash. */
export const MAX_ESCAPED_ID = 80;
export const MAX_ENVELOPE_BYTES = 1024 * 1024;
/** Signatures of an envelope, since each is verified. */
export const MAX_SIGNATURES = 100;
/** Characters of the reason of an acceptance. */
export const MAX_ACCEPTED_REASON = 2_000;

// Redaction
export const MAX_REDACTED_VALUES = 10_000;
export const MIN_REDACTED_VALUE_LENGTH = 4;
/** Different secrets of one recording, each with a numbered placeholder. */
export const MAX_PLACEHOLDERS = 999_999;
/** Rounds over a text, which is searched again until nothing more is found. */
export const MAX_REDACTION_ROUNDS = 8;
/** Texts without a finding that are remembered and not searched again. */
export const MAX_HARMLESS = 1_000;
/** Characters of such a text. A longer one is searched each time. */
export const MAX_HARMLESS_LENGTH = 64;

// Filters of prompts
export const MAX_FILTERS_BYTES = 1024 * 1024;
/** Filters of one list. */
export const MAX_FILTERS = 100;
/** Characters of a filter's name, of its replacement, and of a field's name. */
export const MAX_FILTER_TEXT = 100;
/** Rounds over a text, which is rewritten again until it stays the same. */
export const MAX_FILTER_ROUNDS = 8;
/** Steps of a pattern over one text. The rest of the text stays as it is. */
export const MAX_REPLACE_WORK = 20_000_000;
/** Texts whose rewriting by patterns is remembered. */
export const MAX_REMEMBERED_TEXTS = 1_000;

// Streams
/** Deltas of one answer that keep their boundaries. */
export const MAX_STREAM_PIECES = 100_000;
/** Default longest wait before one delta of a timed replay, in recorded ms. */
export const DEFAULT_MAX_GAP_MS = 10_000;

// Replay
/** Unused turns that are compared with one prompt. */
export const MAX_COMPARED_TURNS = 1_000;
/** Recorded calls of one tool that are searched for the nearest. */
export const MAX_COMPARED_CALLS = 1_000;
/** Differences from the tape that are kept. A run with more is another run. */
export const MAX_TAPE_DIFFERENCES = 1_000;

// Exchanges
/** Bytes of a body that a cassette holds. A body that is kept as its hash may be of any size. */
export const MAX_EXCHANGE_BYTES = 8 * 1024 * 1024;
/** Parts of a multipart body. A body with more is kept as its hash. */
export const MAX_FORM_PARTS = 1_000;
/** Bytes of a form field. A longer one is kept as its hash. */
export const MAX_FIELD_BYTES = 64 * 1024;

// Statistics
/** Names (of tools, models, providers) that are counted separately. */
export const MAX_COUNTED_NAMES = 1_000;

// Diff
/** Pairs of sets between the first and the last difference. More would take many seconds. */
export const MAX_ALIGNMENT_CELLS = 400_000_000;
/** Work of pairing the items of two sets (rows² · columns). More would take many seconds. */
export const MAX_PAIRING_WORK = 100_000_000;
/** Pairs of one turn that are paired again. A larger group keeps its partners. */
export const MAX_REPAIRED_PAIRS = 400;

// Prices
export const MAX_PRICES_FILE_BYTES = 1024 * 1024;
/** Models of a price file. */
export const MAX_PRICED_MODELS = 10_000;

// Rules
export const MAX_RULES_FILE_BYTES = 1024 * 1024;
export const MAX_RULES = 1_000;
export const MAX_RULE_ID_CHARACTERS = 100;
export const MAX_RULE_REASON_CHARACTERS = 500;
/** Breaks of one rule that are listed for one run. The last one counts the rest in `more`. */
export const MAX_BREAKS_PER_RULE = 100;
/** Work on one call's arguments: characters times steps, over all patterns. */
export const MAX_PATTERN_WORK = 5_000_000;
/** Different texts of one call that are matched, the shortest first, and as many names. */
export const MAX_PATTERN_TEXTS = 1_000;

// Tolerances
export const MAX_TOLERANCES_BYTES = 1024 * 1024;
export const MAX_TOLERANCE_TOOLS = 1_000;
/** Pointers of one tool. */
export const MAX_TOLERANCE_PLACES = 1_000;
/** Code points in a pointer or in the name of a tool. */
export const MAX_TOLERANCE_NAME_LENGTH = 1_000;
/** Tolerances of one pointer. */
export const MAX_TOLERANCES_PER_PLACE = 16;
export const MAX_TOLERANCE_CHOICES = 100;
/** Code points in a pattern. */
export const MAX_PATTERN_LENGTH = 256;
/** Steps of a pattern with its counted repetitions written out. */
export const MAX_PATTERN_STEPS = 2_000;
/** Characters of a text. A longer one never matches a pattern. */
export const MAX_PATTERN_INPUT = 10_000;

// Export
/** Characters in the JSON of the messages of one export. */
export const MAX_EXPORT_CHARACTERS = 64 * 1024 * 1024;

// Import
/** Exchanges of one recording, since each is compared with the conversations before it. */
export const MAX_EXCHANGES = 20_000;
/** Bytes of one unpacked body, when it is imported and when it is recorded. The client of a proxy gets all of it. */
export const MAX_RECORDED_BODY_BYTES = 32 * 1024 * 1024;
/** Characters of all unpacked bodies of one recording together. */
export const MAX_RECORDING_CHARACTERS = 256 * 1024 * 1024;
/** Bytes to which a packed body may grow in any case. Beyond, `MAX_UNPACKED_RATIO` decides. */
export const FREE_BODY_BYTES = 1024 * 1024;
/** Unpacked bytes for each packed byte of a body or log. */
export const MAX_UNPACKED_RATIO = 200;
/** Lines of all threads together. Lines before a fork count once for each thread. */
export const MAX_THREAD_LINES = 1_000_000;
/** Levels of side agents, which may have side agents of their own. */
export const MAX_AGENT_DEPTH = 16;
/** Characters of the attachments of one run (UTF-16 units): one text may be named any number of times. */
export const MAX_ATTACHED_CHARACTERS = 64 * 1024 * 1024;
/** Characters of an imported text that show its kind. */
export const MAX_HEAD_CHARACTERS = 100_000;
/** Characters of one segment of an imported cassette's path. */
export const MAX_PATH_SEGMENT_CHARACTERS = 100;
/** Characters that a task pattern takes of one value. The rest becomes a hash. */
export const MAX_TASK_VALUE_CHARACTERS = 60;
/** Folders that the slashes of a task may make. Further slashes become "_". */
export const MAX_TASK_FOLDERS = 4;
