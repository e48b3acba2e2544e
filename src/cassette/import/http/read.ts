// A conversation of recorded HTTP as the turns of a run. The wire's own decoders read the messages, so that a replay over that
// wire sends exactly what was recorded.

import { defined, isWireName, type JsonObject, type JsonValue } from "../../../core/index.js";
import type { RecordedExchange } from "../../file/format.js";
import type { LogTurns, RecordedTurn } from "../turns.js";
import { addRepairs, type RepairLog } from "../repair.js";
import { isObject, malformed, toName, toText } from "../foreign-json.js";
import { modelOf, readTurn, type WireExchange } from "./to-turn.js";

/** Reads one conversation. Throws `import-malformed` for a turn that could not be read. */
export function readConversation(record: JsonObject, repairs: RepairLog): LogTurns {
  const { turns: recorded, flaw, dropped } = record;
  addRepairs(dropped, repairs);
  if (typeof flaw === "string") throw malformed(flaw);
  if (!Array.isArray(recorded)) throw malformed("it is not a conversation of recorded HTTP");
  // Checked when the recording was split.
  const exchanges = record["exchanges"] as unknown as RecordedExchange[] | undefined;
  const turns = recorded.map((exchange) => readTurn(toWireExchange(exchange)));
  const [model, ...others] = turns.map(modelOf);
  for (const other of others) if (other !== model) repairs.add("model-differs");
  const task = toName(record["task"]);
  const trial = toName(record["trial"]);
  return {
    ...defined({ model: turns.length === 0 ? askedModel(exchanges?.[0]) : model, task, trial, exchanges }),
    turns: turns.map(({ request, response }): RecordedTurn => {
      const { model: _, ...settings } = request.settings;
      return { messages: request.messages, response, tools: request.tools ?? [], settings };
    }),
  };
}

/** The model that the JSON of an exchange names. */
function askedModel({ request }: Partial<RecordedExchange> = {}): string | undefined {
  const body = request !== undefined && "json" in request ? request.json : undefined;
  return isObject(body) ? toName(body["model"]) : undefined;
}

function toWireExchange(exchange: JsonValue): WireExchange {
  const { wire, path, request = null, answer, base64 } = isObject(exchange) ? exchange : {};
  if (!isWireName(wire)) throw malformed("an exchange does not name its wire");
  const asked = { wire, path: toText(path), request };
  return typeof base64 === "string" ? { ...asked, base64 } : { ...asked, answer: toText(answer) };
}
