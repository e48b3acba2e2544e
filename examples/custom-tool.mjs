// A custom tool next to the built-in verbs. The agent reads a page in a folder and posts its findings to a channel.
// The model is a script and the channel is a server on this machine, so you can run it as it is.
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRuntime, defineTool, scriptedProvider, ToolArgError } from "playhead";
import { createVerbs } from "playhead/host";

const channel = createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  console.log(`the channel got ${body} from ${request.headers.authorization}`);
  response.end("ok");
});
channel.listen(0, "127.0.0.1");
await once(channel, "listening");

const slackPost = defineTool({
  name: "slack_post",
  description: "Post a message to a Slack channel.",
  schema: {
    type: "object",
    required: ["channel", "text"],
    properties: { channel: { type: "string" }, text: { type: "string" } },
    additionalProperties: false,
  },
  effect: "write",
  timeoutMs: 10_000,
  async invoke({ channel: name, text }, { signal }) {
    // The model may ask for any channel; this code decides. The model reads "tool unavailable", the log keeps the reason.
    if (name !== "#general") throw new ToolArgError(`posting to ${name} is not allowed`);
    const response = await fetch(`http://127.0.0.1:${channel.address().port}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${process.env.SLACK_BOT_TOKEN ?? "none"}` },
      body: JSON.stringify({ channel: name, text }),
      signal,
    });
    return { status: response.status };
  },
});

const root = mkdtempSync(join(tmpdir(), "custom-tool-"));
writeFileSync(join(root, "post.html"), "<h1>Rott</h1><p>The lighthouse went <b>dark</b> on Sunday.</p>");
const asks = (name, args) => ({
  message: { role: "assistant", content: "", toolCalls: [{ id: name, name, arguments: args }] },
  stopReason: "toolUse",
});
const provider = scriptedProvider([
  asks("extract", { uri: "post.html", as: "markdown" }),
  asks("slack_post", { channel: "#board", text: "Dark!" }),
  asks("slack_post", { channel: "#general", text: "The lighthouse on Rott went dark." }),
  { message: { role: "assistant", content: "Posted." }, finalAnswer: "Posted.", stopReason: "stop" },
]);
const runtime = createRuntime({
  agents: [
    {
      id: "poster",
      systemPrompt: "Read the page and post a summary to #general.",
      provider,
      tools: ["extract"],
      customTools: [slackPost],
    },
  ],
  verbs: createVerbs({ root }),
});
const { messages, finalAnswer, events } = await runtime.run({ goal: "post.html" });
await runtime.destroy();
channel.close();
rmSync(root, { recursive: true });
for (const { role, name, content } of messages)
  if (role === "tool") console.log(`the model read of ${name}: ${content}`);
for (const event of events) if (event.type === "tool-failed") console.log(`the log has: ${event.message}`);
console.log(finalAnswer);
