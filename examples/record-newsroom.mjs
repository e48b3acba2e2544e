// Makes the cassettes in cassettes/newsroom. It runs newsroom.mjs through the recording proxy, in front of a scripted
// vendor. Run it to make the cassettes again:  node examples/record-newsroom.mjs
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { loadWire } from "playhead";

const folder = fileURLToPath(new URL("../cassettes/newsroom/", import.meta.url));
const calls = (name, args) => [{ id: "call_1", name, arguments: args }];
const asks = (name, args) => ({
  message: { role: "assistant", content: "", toolCalls: calls(name, args) },
  stopReason: "toolUse",
  usage: { inputTokens: 80, outputTokens: 20 },
});
const says = (content) => ({
  message: { role: "assistant", content },
  finalAnswer: content,
  stopReason: "stop",
  usage: { inputTokens: 120, outputTokens: 30 },
});
const NOTES = "- Rott lighthouse\n- burned for 167 years\n- dark for good since Sunday";
const SCRIPTS = {
  openai: [asks("read_page", { url: "https://news.example/lighthouse" }), says(NOTES)],
  anthropic: [
    asks("post_note", { text: "After 167 years the lighthouse on Rott went dark for good on Sunday." }),
    says("The summary is posted."),
  ],
};

const vendor = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const wire = await loadWire(request.url.endsWith("/messages") ? "anthropic" : "openai");
  const { request: turn } = wire.parse(JSON.parse(Buffer.concat(chunks).toString("utf8")));
  const stamp = { id: "answer", createdAt: 0, model: turn.settings.model };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(wire.write(SCRIPTS[wire.name].shift(), stamp)));
});
vendor.listen(0, "127.0.0.1");
await once(vendor, "listening");

rmSync(folder, { recursive: true, force: true });
const target = `http://127.0.0.1:${vendor.address().port}/v1`;
const cassette = fileURLToPath(new URL("../dist/cli/bin.js", import.meta.url));
const args = ["record", "--proxy", "--target", target, "--out", folder, "--port", "0"];
const proxy = spawn(process.execPath, [cassette, ...args], { stdio: ["ignore", "pipe", "inherit"] });
const [said] = await once(proxy.stdout, "data");
const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said.toString())[0];
const env = { ...process.env, OPENAI_API_KEY: "none", ANTHROPIC_API_KEY: "none" };
const agent = spawn(process.execPath, [fileURLToPath(new URL("newsroom.mjs", import.meta.url))], {
  env: { ...env, OPENAI_BASE_URL: `${url}/v1`, ANTHROPIC_BASE_URL: url },
  stdio: "inherit",
});
await once(agent, "close");
proxy.kill("SIGINT");
await once(proxy, "close");
vendor.close();
// The proxy names a cassette after the beginning of the conversation. Here the vendor tells the agents apart.
for (const name of readdirSync(folder)) {
  const { recordedProvider } = JSON.parse(readFileSync(folder + name, "utf8"));
  const agentId = recordedProvider.startsWith("anthropic:") ? "actor" : "researcher";
  renameSync(folder + name, `${folder}${agentId}.cassette.json`);
}
