// An assistant that remembers. Each call of this program sends one message to a conversation that is kept in a folder:
//   node examples/assistant.mjs "My till is blue."
//   node examples/assistant.mjs "Which colour is it?"
// OPENAI_API_KEY is your key, and ASSISTANT_FOLDER the folder. Without a key: cassette serve cassettes/assistant --allow-unused -- node …
import { openaiProvider } from "playhead";
import { compositeHook, createEnvRuntime, memoryHook } from "playhead/env";
import { createNodeEnv, openFileStorage } from "playhead/host";

const { OPENAI_API_KEY, OPENAI_BASE_URL, ASSISTANT_FOLDER = ".assistant" } = process.env;

const storage = await openFileStorage(ASSISTANT_FOLDER);
const runtime = createEnvRuntime(
  {
    storage,
    provider: openaiProvider({ model: "gpt-5", apiKey: OPENAI_API_KEY, baseURL: OPENAI_BASE_URL }),
    env: createNodeEnv({ hook: compositeHook(memoryHook()), root: ASSISTANT_FOLDER }),
  },
  { agents: [{ name: "assistant", instructions: "Answer in one sentence.", tools: ["remember", "recall"] }] },
);

for await (const event of runtime.stream({ agent: "assistant", content: process.argv[2] ?? "Hello." })) {
  if (event.type === "compaction") console.log(`(archived ${event.messages} messages as ${event.archive})`);
  if (event.type === "done") console.log(event.finalAnswer);
}
console.log(`${(await runtime.conversation("assistant")).entries} entries`);

await runtime.destroy();
storage.close();
