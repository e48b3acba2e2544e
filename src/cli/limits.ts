// Every limit of this layer on what it accepts, keeps or computes, every default limit, and every waiting time. A constant that only
// decides how much a message or report shows (`SHOWN_…`), or that tunes an algorithm, stays where it is used.

// Options
/** Highest `--jobs`. Equal to `MAX_THREADS` of the host, which a declaration must not load. A test compares them. */
export const MAX_JOBS = 64;
/** Highest `--max-bytes`. Node cannot hold a text of more than about 512 Mi characters. */
export const MAX_BYTES_OPTION = 500_000_000;
/** Highest `--concurrency` of mutants. Each run listens for signals, and Node warns about more than ten listeners. */
export const MAX_MUTANTS_AT_ONCE = 8;

// Terminal
/** Milliseconds before progress is first shown. */
export const PROGRESS_QUIET_MS = 1_000;
/** Milliseconds between two updates of the progress. */
export const PROGRESS_REDRAW_MS = 100;
/** Milliseconds in which further signals count as echoes of the first: terminals and supervisors send several. */
export const SIGNAL_ECHO_MS = 2000;

// Keys and receipts
export const MAX_KEY_FILE_BYTES = 64 * 1024;
/** Remaining time in ms of a key from which `doctor` warns: 30 days. */
export const KEY_NOTICE_MS = 30 * 24 * 60 * 60 * 1000;
/** Bytes of a file of receipts, about 700,000 receipts. */
export const MAX_RECEIPTS_BYTES = 512 * 1024 * 1024;

// Recording and replay
export const MAX_LEDGER_BYTES = 64 * 1024 * 1024;
/** Conversations that a proxy keeps in memory. Beyond them, it forgets those that were written and are the longest without a turn. */
export const MAX_OPEN_CONVERSATIONS = 1_000;
/** Conversations on the vendor's server that `serve --auto` keeps. Beyond them, it forgets the oldest, and a new turn of it is refused. */
export const MAX_BEGUN_CONVERSATIONS = 1_000;
/** Characters of the user's text in a name. */
export const MAX_NAME_TEXT_CHARACTERS = 60;
/** Blocks that a client put around the words of the user, for a name. The rest of the text is taken as it is. */
export const MAX_ADDED_BLOCKS = 100;
/** Bytes of a given name. Disks allow 255 for a file name. */
export const MAX_GIVEN_NAME_BYTES = 200;
/** Bytes of `shard.json`, about a million recordings. */
export const MAX_SHARD_FILE_BYTES = 256 * 1024 * 1024;
/** Highest `--runs`, which is what `drift` compares, and highest number of shards. */
export const MAX_RECORDED_RUNS = 1_000;
/** Bytes of all recordings of one run of a job. */
export const MAX_JOB_RUN_BYTES = 256 * 1024 * 1024;
/** Characters of the same, compressed, in a result of 8 MiB. */
export const MAX_PACKED_RUN_CHARACTERS = 8_000_000;
/** Bytes of a cassette that a new recording may replace. */
export const MAX_REPLACED_BYTES = 256 * 1024 * 1024;
/** Bytes of a plan of faults. */
export const MAX_FAULT_PLAN_BYTES = 16 * 1024 * 1024;
/** Shortest delay in ms before a change is written. Ten times as long as the last write took, if that is more. */
export const SAVE_QUIET_MS = 500;
export const MAX_REQUEST_BYTES = 64 * 1024 * 1024;
/** Bytes of one order on stdin. */
export const MAX_CONTROL_LINE_BYTES = 1024 * 1024;
/** Closed cassettes whose files are named to late requests. */
export const MAX_CLOSED_CASSETTES = 10_000;
/** Milliseconds that a closing cassette waits for open requests before it ends them. */
export const CLOSE_GRACE_MS = 2_000;

// Coding agents
/** Files of a working folder that are watched. A message reports the others. */
export const MAX_WATCHED_FILES = 20_000;
/** Bytes of a watched file. For a larger file, only the size is compared, and a message says so. */
export const MAX_WATCHED_FILE_BYTES = 256 * 1024 * 1024;
/** Bytes of the list of files that git prints. */
export const MAX_GIT_OUTPUT_BYTES = 64 * 1024 * 1024;

// Mutants
export const MAX_MUTATE_REPORT_BYTES = 256 * 1024 * 1024;
/** Characters of a text in a report. The rest is cut off. */
export const MAX_MUTATE_REPORT_TEXT_CHARACTERS = 2_000;
/** Bytes of the file in which a run notes the recordings that it used. */
export const MAX_SEEN_BYTES = 64 * 1024 * 1024;
/** Milliseconds of a run's time limit in addition to three times the time without mutants. */
export const MUTANT_GRACE_MS = 10_000;

// Benchmarks
/** Fewest processes of each command. With fewer, no difference between two commands is certain. */
export const MIN_BENCH_RUNS = 8;
export const MAX_BENCH_RUNS = 1_000;
/** `MAX_STRETCHED_TURNS` of the harness. */
export const MAX_BENCH_TURNS = 100_000;
/** Microseconds of the default `--threshold`: more than a measurement differs from the next on a quiet machine. */
export const DEFAULT_BENCH_THRESHOLD_US = 20;
/** Milliseconds of a process's time limit in addition to ten times that of the first. */
export const BENCH_GRACE_MS = 10_000;

// Import and export
/** Records of one log, good or not. */
export const MAX_IMPORTED_RECORDS = 1_000_000;
/** Unpacked bytes of a log. */
export const MAX_LOG_BYTES = 1024 * 1024 * 1024;
/** Bytes to which a gzipped log may grow in any case, or to `MAX_UNPACKED_RATIO` times its size. Logs grow five to thirty times. */
export const FREE_LOG_BYTES = 16 * 1024 * 1024;
export const MAX_ARCHIVE_MEMBERS = 200_000;
/** Bytes of an archive's head, usually some thousand. This many bytes of tiny values still fit into memory when parsed. */
export const MAX_ARCHIVE_HEAD_BYTES = 16 * 1024 * 1024;
/** Characters of YAML. Its parser needs about fifty times as much memory. */
export const MAX_YAML_CHARACTERS = 32 * 1024 * 1024;
/** The parser's default limit for the growth by aliases. */
export const MAX_YAML_ALIASES = 100;
/** Refused records that are kept in full. A noisy log has millions. */
export const MAX_REFUSALS = 1_000;
/** Kinds of one code in one log that are counted separately. Further ones are counted together. */
export const MAX_REFUSAL_KINDS = 5;
/** Characters of one export. A JavaScript string can have about twice as many. */
export const MAX_OUTPUT_CHARACTERS = 256 * 1024 * 1024;

// Other commands
export const MAX_SCANNED_BYTES = 64 * 1024 * 1024;
export const MAX_STATS_GROUPS = 200;
/** Unreadable files that are listed. */
export const MAX_STATS_FAILURES = 1_000;
/** Scenarios whose typical runs a report has. With more, it would be too large to read. */
export const MAX_DESCRIBED_SCENARIOS = 1_000;
/** Reports that `drift --history` reads, the newest first. */
export const MAX_HISTORY_REPORTS = 1_000;

// The page of a folder
/** Reports that the history of `ui` reads for each view, the newest first. The page shows no more. */
export const MAX_UI_HISTORY_REPORTS = 100;
/** Files of a folder that `ui` lists. A message reports the others. */
export const MAX_UI_FILES = 50_000;
/** Entries of a folder that `ui` looks at, of any kind. A message reports the others. */
export const MAX_UI_ENTRIES = 500_000;
/** Nested folders that `ui` opens. */
export const MAX_UI_DEPTH = 64;
/** Bytes of a report or ledger that `ui` shows. */
export const MAX_UI_REPORT_BYTES = 64 * 1024 * 1024;
/** Bytes by which a report or ledger is recognised. */
export const MAX_UI_HEAD_BYTES = 4_096;
/** Misses that are listed of one file. */
export const MAX_UI_MISSES = 1_000;
/** Characters of the reason, and of the file's name, for which a report says that nothing was compared. */
export const MAX_UI_REASON_CHARACTERS = 300;
/** Open pages that receive live changes at the same time. */
export const MAX_UI_LISTENERS = 100;
/** Bytes of the random key in the address of the pages. */
export const KEY_BYTES = 16;
/** Shortest time in ms between two looks at the folder. Twenty times as long as the last one took, if that is more. */
export const UI_LOOK_MS = 500;
/** Changes within this time in ms are one event. */
export const UI_EVENT_MS = 200;
