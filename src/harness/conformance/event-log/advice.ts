// What to do about each case of an event log that does not hold: the last sentence of its error.

import type { listenerCases } from "./listeners.js";
import type { keepingCases } from "./keeping.js";

type Name = keyof typeof keepingCases | keyof typeof listenerCases;

const TELL = "Tell the listener within append, of every event and in their order.";
const GUARD = "Call the listener in try and catch, catch what it promises as well, and say it by ports.warn.";

/** One sentence for each case. */
export const EVENT_LOG_ADVICE: Readonly<Record<Name, string>> = {
  "begins empty, with the run's id": 'Give the runId of the options, or "", and begin with no event.',
  "keeps events in the order they came, counted from 0": "Number kept events by seq: 0, 1, 2, as append was called.",
  "says of each event the run, the agent and the turn, and keeps its fields":
    "Add runId, agentId and turnIndex to the body, and change nothing of it.",
  "keeps texts as they are, whatever their characters": "Keep texts by their code units: no normal form, no trimming.",
  "stamps each event with the time of the ports": "Take `at` from ports.now() when append is called.",
  "stamps events so that their hlc sorts as they happened, though the clock is set back":
    "Take hlc from one createHlc(ports), by tick(at), for all events of the log.",
  "stamps by the clock that it is given": "Use options.hlc where it is there: several logs share one clock.",
  "gives the same events however often they are read":
    "Stamp an event once, in append, and let reading change nothing.",
  "keeps events up to its limit, counts the rest, and lets the listener hear all":
    "Keep the first `limit` events, count later ones in `dropped`, and tell the listener of all.",
  "counts no delta as dropped":
    "Leave llm-delta events out of `events`, `seq` and `dropped`, at the limit as before it.",
  "keeps many events, none lost and none twice": "Keep every event up to the limit; the default is MAX_KEPT_EVENTS.",

  "passes each event to the listener at once, in order": TELL,
  "passes deltas on and keeps none, and they take no number":
    "Hand llm-delta events to the listener with the seq of the next kept event, and keep none.",
  "passes on each half of a character that a delta was cut in": "Hand the text of a delta on as it is.",
  "lets no listener change what is kept": "Hand the listener a frozen event, with copies of what is in it.",
  "shows a listener the event among those that are kept": "Keep an event before the listener is told of it.",
  "goes on when a listener throws, and warns": GUARD,
  "takes what a listener rejects with, late, and warns of it": GUARD,
  "shows each kept event to the tap with what stands behind it, before the listener":
    "Call options.tap(event, detail) for each event but deltas, and then the listener.",
  "counts on when a listener appends in turn": "Number and keep an event before anybody is told of it.",
};
