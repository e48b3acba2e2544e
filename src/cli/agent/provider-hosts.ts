// The hosts of model vendors. An agent that reaches one of them past our server would spend money, or be recorded in part.

import { isLoopback } from "../../host/index.js";
import { VENDORS, type Vendor } from "../../core/index.js";

/** Back ends of the known agents and gateways. `*` stands for any labels. */
const MORE_HOSTS = [
  "chatgpt.com",
  "*.openai.azure.com",
  "*.services.ai.azure.com",
  "*.cognitiveservices.azure.com",
  "*aiplatform.googleapis.com",
  "cloudcode-pa.googleapis.com",
  "bedrock*.amazonaws.com",
  "api.githubcopilot.com",
  "*.githubcopilot.com",
  "models.github.ai",
  "api.mistral.ai",
  "api.x.ai",
  "api.deepseek.com",
  "api.groq.com",
  "api.cerebras.ai",
  "api.together.xyz",
  "api.fireworks.ai",
  "api.perplexity.ai",
  "api.moonshot.ai",
  "api.moonshot.cn",
  "api.z.ai",
  "open.bigmodel.cn",
  "api.minimax.io",
  "dashscope*.aliyuncs.com",
  "portal.qwen.ai",
  "openrouter.ai",
  "opencode.ai",
  "ai-gateway.vercel.sh",
  "*.huggingface.co",
  "ollama.com",
];

/** Returns true for the host of a model vendor, or of one of `targets`. */
export function createProviderTest(targets: readonly URL[] = []): (host: string) => boolean {
  const vendors = Object.values<Vendor>(VENDORS).flatMap(({ client }) => client.baseURLs);
  const own = [...vendors.map((url) => new URL(url)), ...targets].map(({ hostname }) => hostname);
  const patterns = [...own, ...MORE_HOSTS].filter((host) => !isLoopback(host)).map(toPattern);
  return (host) => patterns.some((pattern) => pattern.test(host));
}

function toPattern(host: string): RegExp {
  const text = host.split("*").map((part) => part.replaceAll(".", "\\."));
  return new RegExp(`^${text.join("[a-z0-9.-]*")}\\.?$`, "i");
}
