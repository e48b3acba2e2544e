// A stand-in for aider, which is not on npm. It reads the variables that aider and LiteLLM document, asks for an edit in words, writes it
// to note.txt, and notes the conversation where AIDER_CHAT_HISTORY_FILE says.

import { appendFileSync, writeFileSync } from "node:fs";

const { OPENAI_API_BASE, AIDER_CHAT_HISTORY_FILE, LITELLM_LOCAL_MODEL_COST_MAP, AIDER_CHECK_UPDATE } = process.env;
if (LITELLM_LOCAL_MODEL_COST_MAP !== "True" || AIDER_CHECK_UPDATE !== "false") throw new Error("would use the network");

const today = new Date().toISOString().slice(0, 10);
const messages = [{ role: "user", content: `In ${process.cwd()} on ${today}: write a note` }];
const response = await fetch(`${OPENAI_API_BASE}/chat/completions`, {
  method: "POST",
  headers: { "content-type": "application/json", authorization: "Bearer none" },
  body: JSON.stringify({ model: "small", messages }),
});
const { choices, error } = await response.json();
if (error !== undefined) throw new Error(error.message);
writeFileSync("note.txt", choices[0].message.content);
appendFileSync(AIDER_CHAT_HISTORY_FILE, `#### ${messages[0].content}\n`);
console.log("Applied edit to note.txt");
