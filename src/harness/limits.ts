// Every limit of this layer on what it accepts, keeps or computes, every default limit, and every waiting time. A constant that only
// decides how much a message or report shows (`SHOWN_…`), or that tunes an algorithm, stays where it is used.

// Doubles
/** Timers that one `advance` or `until` fires, since a loop of timers may have no end. */
export const MAX_FIRED_TIMERS = 1_000_000;
/** Bytes of a name in the file system in memory, as on a disk. */
export const MAX_FILE_NAME_BYTES = 255;
/** Bytes of a path in the file system in memory, as on a disk. */
export const MAX_FILE_PATH_BYTES = 4_095;
/** Bytes of one call for randomness: more than any caller of the port needs at once. */
export const MAX_RANDOM_BYTES = 65_536;

// Faults
/** Entries of `injected` that are kept. Later faults strike and are not listed. */
export const MAX_LISTED_FAULTS = 100_000;
/** Highest `characters` of the fault `huge`. */
export const MAX_HUGE_CHARACTERS = 100_000_000;
/** Timers of one run. One that polls once a minute counts as hanging after a month. */
export const MAX_TRIAL_TIMERS = 50_000;
/** Silence in ms after which Node's fetch gives up (undici's `headersTimeout` and `bodyTimeout`). */
export const TRANSPORT_PATIENCE_MS = 300_000;

// Contracts
/** An answer this many ms after the signal fired was not already on its way. */
export const ABORT_GRACE_MS = 1_000;
/** Pieces of a stream. One with more is taken to have no end. */
export const MAX_CHECKED_PIECES = 100_000;
/** Time limit in ms of a call. Vitest and Jest end a test after five seconds and do not say what hung, so this is less. */
export const DEFAULT_CONFORMANCE_PATIENCE_MS = 4_000;
/** How long in ms the end of a subject may delay a case. With the patience it stays below five seconds. */
export const MAX_SUBJECT_END_MS = 500;
/** Milliseconds after which a case aborts a request or lets it time out. */
export const CONFORMANCE_ABORT_MS = 20;
/** Milliseconds of a lease, hold or delay that lasts as long as a case. */
export const CONFORMANCE_LONG_MS = 60_000;
/** Milliseconds of a lease, hold or delay that runs out in a case. */
export const CONFORMANCE_SHORT_MS = 30;
/** Milliseconds between two looks for what a host does by itself. */
export const CONFORMANCE_LOOK_MS = 5;
/** How often one provider is asked one of `PROVIDER_REQUESTS` at most. */
export const MAX_ASKED = 4;
export const DEFAULT_PROVIDER_PROPERTY_TIMEOUT_MS = 30_000;
export const DEFAULT_TOOL_PROPERTY_TIMEOUT_MS = 5_000;
/** Turns of a run that is drawn for a budget. */
export const MAX_DRAWN_TURNS = 60;
/** Tool calls of one turn that is drawn for a budget. */
export const MAX_DRAWN_CALLS = 100;
/** Time limit in ms of such a run. A run of a script takes milliseconds. */
export const BUDGET_RUN_TIMEOUT_MS = 60_000;

// Fixture and matchers
/** Bytes (UTF-8) of a slug. A longer one is cut and gets a hash. Disks allow 255 for the whole name. */
export const MAX_SLUG_BYTES = 100;
/** Orphans for which the nearest test is sought. */
export const MAX_ORPHAN_HINTS = 50;
export const MAX_BASELINES = 1_000;
/** Pairs of an expected call and a made one. A million take about a second. */
export const MAX_SEQUENCE_PAIRS = 1_000_000;
/** Bytes of a file of receipts, about 85,000 receipts. */
export const MAX_MATCHED_RECEIPTS_BYTES = 64 * 1024 * 1024;
/** Levels of a shown value: a value from a test may contain itself. */
export const MAX_SHOWN_DEPTH = 100;
/** Values within a shown value: one that contains itself twice has no end in its breadth either. */
export const MAX_SHOWN_VALUES = 10_000;

// Adapters
/** Pages of tools that are read of one server. More are `tools-unclear`. */
export const MAX_MCP_PAGES = 1_000;
/** Tools that are read of one server. More are `tools-unclear`. */
export const MAX_MCP_TOOLS = 10_000;

// Mutants and shrinking
/** Mutants of one cassette. Further places are left alone. */
export const MAX_MUTANTS_PER_CASSETTE = 10_000;
/** Characters of a text in which words and numbers are changed, so that a long text costs no more than a short one. */
export const MAX_MUTATED_TEXT_CHARACTERS = 20_000;
/** Comparisons of one search. After them the smallest find so far is the result. */
export const MAX_SHRINK_COMPARISONS = 10_000;

// Drift
export const MAX_SCENARIOS = 100_000;
/** Runs of one scenario. */
export const MAX_RUNS = 1_000;
/** Bytes of the heap that a comparison takes: without any runs, for the figures of a scenario and for those of a run. Measured. */
export const DRIFT_BYTES = 56_000_000;
export const DRIFT_BYTES_A_SCENARIO = 7_000;
export const DRIFT_BYTES_A_RUN = 1_000;
/** Figures below this many bytes fit into any heap in which Node.js starts. */
export const LIGHT_DRIFT_BYTES = 4_000_000;
/** Runs of a side that are compared with all others. If there are more, this many are drawn. */
export const MAX_COMPARED_RUNS = 100;
/** Characters of a text in a step of a path. A longer one is cut and gets its hash. */
export const MAX_STEP_TEXT_CHARACTERS = 200;
/** Characters of a text or a result that a report keeps. */
export const MAX_TYPICAL_TEXT_CHARACTERS = 4_000;
/** Highest number of runs that is tried when the necessary number is sought. */
export const MAX_NEEDED_RUNS = 200;
/** Relabelings that are all counted. Of more, some are drawn. */
export const MAX_EXHAUSTIVE_RELABELINGS = 20_000;
/** Work of drawing relabelings. If it would take more, which is minutes, fewer are drawn. */
export const MAX_DRAWING_WORK = 1_000_000_000;
/** Bootstrap draws for the intervals of one metric of all scenarios, each by itself. Of many scenarios, each gets fewer. */
export const MAX_INTERVAL_DRAWS = 2_000_000;
/** Relabelings of a scenario that keeps the statistic of each. */
export const MAX_KEPT_RELABELINGS = 300;
/** Product of the relabelings of scenarios that are drawn together. */
export const MAX_JOINED_RELABELINGS = 1_296;

// Scores
/** Different scores of one recording, and of all runs that a gate compares. */
export const MAX_SCORES = 50;
/** The largest magnitude of a score. Sums of squares of much larger numbers would overflow. */
export const MAX_SCORE = 1e12;
/** Characters of the name of a score. */
export const MAX_SCORE_NAME_CHARACTERS = 60;
/** Grades of one score: repetitions by a judge. */
export const MAX_GRADES = 100;
/** Calls of a run that are compared with those of a reference. A thousand on each side take well below a second. */
export const MAX_SCORED_CALLS = 1_000;
/** Characters of a rubric, and of each text that a judge is given. */
export const MAX_JUDGED_CHARACTERS = 100_000;

// Step check
export const DEFAULT_STEP_TIMEOUT_MS = 120_000;
/** Calls that a gate makes at once. */
export const MAX_STEPS_AT_ONCE = 64;
/** Calls for one turn whose failure is retryable. */
export const MAX_STEP_ATTEMPTS = 3;
export const MAX_STEP_REASON_CHARACTERS = 300;

// Reports
/** Characters of one text of a page. */
export const MAX_PAGE_TEXT_CHARACTERS = 100_000;
/** Characters of all texts of a page. */
export const MAX_PAGE_CHARACTERS = 10_000_000;
/** Rows of the list of `cassette ui`. The rest is found by a search. */
export const MAX_UI_ROWS = 500;
/** Messages and calls of a page. */
export const MAX_PAGE_ITEMS = 20_000;
/** Base64 characters of one image: 1 MiB of image data. */
export const MAX_PAGE_IMAGE_CHARACTERS = 1_398_104;
/** Base64 characters of all images of a page: 16 MiB of image data. */
export const MAX_PAGE_IMAGES_CHARACTERS = 16 * MAX_PAGE_IMAGE_CHARACTERS;
/** UTF-8 bytes of a comment. GitHub takes 65,536 characters, and no text has fewer bytes than characters. */
export const MAX_COMMENT_BYTES = 65_000;
/** UTF-8 bytes of a step's summary, of which GitHub takes 1 MiB. */
export const MAX_SUMMARY_BYTES = 900 * 1_024;
/** Annotations of one kind, before the one that counts the rest. */
export const MAX_ANNOTATIONS = 9;
/** Results of one run that code scanning accepts. */
export const MAX_SARIF_RESULTS = 5_000;

// Recording over HTTP
/** Kinds of unrecorded content that are counted: a hostile vendor could name new ones for ever. */
export const MAX_LEFT_OUT_KINDS = 20;
/** Rows of the table of requests at a door. Further kinds share a row. */
export const MAX_TALLY_KINDS = 1_000;

// Embeddings
/** Values of one call of an embedding model. A vector of 3,072 numbers is about 67 KB of JSON, and an exchange holds 8 MiB. */
export const MAX_EMBEDDINGS_PER_CALL = 100;

/** Characters of the message of a failed test in its recording. The rest is cut off. */
export const MAX_OUTCOME_ERROR_CHARACTERS = 2_000;

// Benchmarks
export const MAX_STRETCHED_TURNS = 100_000;
/** Samples of a length. Their median and its spread change little with more. */
export const DEFAULT_BENCH_SAMPLES = 15;
export const MAX_BENCH_SAMPLES = 10_000;
export const DEFAULT_BENCH_SAMPLE_MS = 40;
export const DEFAULT_BENCH_WARM_MS = 500;
/** Runs between two looks at the heap, and the number of looks. */
export const HEAP_RUNS = 10;
export const HEAP_SAMPLES = 5;
