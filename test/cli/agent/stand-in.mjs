// A coding agent in a few lines: it asks Anthropic's Messages API, and runs the tools that the answers call, in its working folder.
// Its arguments change what it does: `write=TEXT` writes another text than the model says, `call=URL` calls a host through HTTPS_PROXY,
// `ask=TEXT` is another prompt, and with `stop=N` it ends before turn N.

import { execSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";

const asked = Object.fromEntries(process.argv.slice(2).map((text) => text.split(/=(.*)/s)));
const base = process.env.ANTHROPIC_BASE_URL;
if (!process.env.CLAUDE_CONFIG_DIR) throw new Error("no configuration folder");
if (asked.call !== undefined) console.log(await throughProxy(asked.call));

const today = new Date().toISOString().slice(0, 10);
const messages = [
  { role: "user", content: `Working directory: ${process.cwd()}. Today is ${today}. ${asked.ask ?? "Write a note"}.` },
];
const tools = ["Write", "Bash"].map((name) => ({ name, input_schema: { type: "object" } }));
for (let turn = 0; String(turn) !== asked.stop; turn++) {
  const response = await fetch(`${base}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "anthropic-version": "2023-06-01", "x-api-key": "none" },
    body: JSON.stringify({ model: "small", max_tokens: 100, messages, tools }),
  });
  const answer = await response.json();
  if (!response.ok) {
    console.log(answer.error?.message ?? answer);
    process.exit(3);
  }
  messages.push({ role: "assistant", content: answer.content });
  const calls = answer.content.filter(({ type }) => type === "tool_use");
  if (calls.length === 0) {
    console.log(answer.content[0].text);
    break;
  }
  const results = calls.map(({ id, name, input }) => ({
    type: "tool_result",
    tool_use_id: id,
    content: use(name, input),
  }));
  messages.push({ role: "user", content: results });
}

function use(name, { file, text, command }) {
  if (name === "Bash") return execSync(command, { encoding: "utf8" });
  writeFileSync(file, asked.write ?? text);
  return `wrote ${file}`;
}

/** The status line of the proxy's answer to CONNECT. */
function throughProxy(authority) {
  const { hostname, port } = new URL(process.env.HTTPS_PROXY);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n\r\n`),
    );
    socket.once("data", (data) => {
      socket.destroy();
      resolve(data.toString().split("\r\n")[0]);
    });
    socket.once("error", reject);
  });
}
