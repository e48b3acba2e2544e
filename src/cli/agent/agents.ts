// The coding agents that `--agent` knows: what each reads to reach our server, and which texts of its prompts change with the day, the
// folder and the user.

import { VENDORS, type Vendor } from "../../core/index.js";
import type { NotedFilter } from "../../cassette/index.js";

export interface CodingAgent {
  readonly vendor: Vendor;
  /** Variables of its process. `url` is that of our server, without a slash at its end, `folder` a private one for its configuration. */
  readonly variables: (url: string, folder: string) => Readonly<Record<string, string>>;
  /** Files of that folder, by their path in it. */
  readonly files?: (url: string, folder: string) => Readonly<Record<string, string>>;
  /** Texts of its prompts that a replay does not compare. */
  readonly filters: readonly NotedFilter[];
  /** One of these variables must hold the key while recording. */
  readonly keys: readonly string[];
}

/** A sub-agent of Claude Code in the result of its task: `agentId: …` and `to: '…'`. */
const CLAUDE_SUB_AGENT: NotedFilter = { name: "agent", pattern: "(agentId: |to: ')[0-9a-f]{8,}" };
/** A line of the output of Codex's shell tool. */
const CODEX_CHUNK: NotedFilter = { name: "chunk", pattern: "Chunk ID: [0-9a-f]+" };
/** The files of the working folder in Qwen Code's first message. They hold the recordings, and every new file. */
const QWEN_TREE: NotedFilter = { name: "tree", pattern: "(?:[ │]*[├└]───[^\\n]*\\n?)+" };
/** The path from the working folder to a file of Qwen Code's configuration. */
const QWEN_LANGUAGE: NotedFilter = { name: "language", pattern: "Context from: [^ ]*output-language[.]md" };

export const CODING_AGENTS = {
  claude: {
    vendor: VENDORS.anthropic,
    variables: (url, folder) => ({
      ANTHROPIC_BASE_URL: url,
      CLAUDE_CONFIG_DIR: folder,
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      // Its prompt would hold the last commits, and a code of the user's words.
      CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS: "1",
      CLAUDE_CODE_ATTRIBUTION_HEADER: "0",
    }),
    filters: ["isoDate", "date", "path", "version", CLAUDE_SUB_AGENT, "number-in:duration_ms"],
    keys: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
  },
  codex: {
    vendor: VENDORS.openai,
    variables: (_, folder) => ({ CODEX_HOME: folder }),
    files: (url) => ({ "config.toml": codexConfig(url) }),
    // A chunk's id may look like a duration, so it goes first.
    filters: [CODEX_CHUNK, "isoDate", "date", "path", "duration", "number-in:Original token count"],
    keys: ["OPENAI_API_KEY"],
  },
  gemini: {
    vendor: VENDORS.gemini,
    variables: (url, folder) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_HOME: folder }),
    files: () => ({ ".gemini/settings.json": JSON.stringify(GEMINI_SETTINGS) }),
    filters: ["date", "path", "number-in:PGID"],
    keys: ["GEMINI_API_KEY"],
  },
  opencode: {
    vendor: VENDORS.anthropic,
    variables: (url, folder) => ({
      OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(url)),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      // The list of models sets parameters of its requests, so it must be the same each time.
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      ...xdgFolders(folder),
    }),
    filters: ["isoDate", "date", "path"],
    keys: ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"],
  },
  aider: {
    vendor: VENDORS.openai,
    variables: (url, folder) => ({
      OPENAI_API_BASE: `${url}/v1`,
      ANTHROPIC_API_BASE: url,
      LITELLM_LOCAL_MODEL_COST_MAP: "True",
      AIDER_ANALYTICS: "false",
      AIDER_CHECK_UPDATE: "false",
      AIDER_SHOW_RELEASE_NOTES: "false",
      AIDER_CHAT_HISTORY_FILE: `${folder}/chat.history.md`,
      AIDER_INPUT_HISTORY_FILE: `${folder}/input.history`,
    }),
    filters: ["isoDate", "date", "path"],
    keys: ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"],
  },
  qwen: {
    vendor: VENDORS.openai,
    variables: (url, folder) => ({ OPENAI_BASE_URL: `${url}/v1`, QWEN_HOME: `${folder}/.qwen` }),
    files: () => ({ ".qwen/settings.json": JSON.stringify(QWEN_SETTINGS) }),
    filters: ["isoDate", "date", "path", "number-in:PGID", QWEN_TREE, QWEN_LANGUAGE],
    keys: ["OPENAI_API_KEY"],
  },
} as const satisfies Record<string, CodingAgent>;

export type AgentName = keyof typeof CODING_AGENTS;

function codexConfig(url: string): string {
  return `model_provider = "cassette"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
apps = false
plugins = false

[model_providers.cassette]
name = "cassette"
base_url = ${JSON.stringify(`${url}/v1`)}
env_key = "OPENAI_API_KEY"
wire_api = "responses"
`;
}

const GEMINI_SETTINGS = {
  // The tree of the folder would hold the recordings, and every new file.
  context: { includeDirectoryTree: false },
  security: { auth: { selectedType: "gemini-api-key" } },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
};

const QWEN_SETTINGS = {
  security: { auth: { selectedType: "openai" } },
  general: { enableAutoUpdate: false, disableAutoUpdate: true },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
};

function opencodeConfig(url: string): object {
  const options = { baseURL: `${url}/v1` };
  return { autoupdate: false, share: "disabled", provider: { anthropic: { options }, openai: { options } } };
}

function xdgFolders(folder: string): Record<string, string> {
  return Object.fromEntries(
    ["CONFIG", "DATA", "STATE", "CACHE"].map((kind) => [`XDG_${kind}_HOME`, `${folder}/${kind.toLowerCase()}`]),
  );
}
