// The variables that point the vendors' clients to one of our servers.

/** `openAiPath` is the end of the base URL of OpenAI's clients. */
export function clientSettings(url: string, openAiPath = "/v1"): Record<string, string> {
  return { OPENAI_BASE_URL: `${url}${openAiPath}`, ANTHROPIC_BASE_URL: url, OLLAMA_HOST: url };
}

/** The variables in shell syntax. */
export function settingsText(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}
