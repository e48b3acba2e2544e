// The variables by which the vendors' clients find one of our servers.

/** `openAiPath` is what OpenAI's clients have at the end of their base URL. */
export function clientSettings(url: string, openAiPath = "/v1"): Record<string, string> {
  return { OPENAI_BASE_URL: `${url}${openAiPath}`, ANTHROPIC_BASE_URL: url, OLLAMA_HOST: url };
}

/** The variables as a shell takes them. */
export function settingsText(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}
