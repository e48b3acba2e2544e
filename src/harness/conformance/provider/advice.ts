// What to do about each case of a provider that does not hold: the last sentence of its error.

import type { apartCases } from "./apart.js";
import type { failureCases, silenceCases } from "./failures.js";
import type { mannersCases } from "./manners.js";
import type { streamCases } from "./streams.js";
import type { turnCases } from "./turns.js";

type Name =
  | keyof typeof turnCases
  | keyof typeof mannersCases
  | keyof typeof streamCases
  | keyof typeof apartCases
  | keyof typeof failureCases
  | keyof typeof silenceCases;

const LEAVE_ALONE = "Copy what you change: the request belongs to the caller, with all that is in it.";
const OWN_STATE =
  "Keep what a call gathers (texts, calls, figures) in variables of that call, and not on the provider.";
const OWN_RESPONSE = "Build a new response, with new objects and lists in it, for every call.";
const KEPT = "Write into no response that was handed out: the caller keeps it.";
const STOP_EARLY = "Look at request.signal before anything is sent, and reject with an Error where it has fired.";
const STOP_MIDWAY = "Listen to request.signal until the call is over, and pass it on to fetch.";

/** One sentence for each case. */
export const PROVIDER_ADVICE: Readonly<Record<Name, string>> = {
  "answers with a turn response":
    "Resolve to { message: { role: 'assistant', content, toolCalls? }, stopReason }, as LlmTurnResponse has it.",
  "answers by a promise, also where it refuses": "Make turn an async function.",
  "answers with plain JSON, no field of which is undefined":
    "Leave out a field that has no value, and write what is no JSON (a Date, a BigInt, NaN) as text or a number.",
  "gives the final answer where it asks for no tool, and only there":
    "Set finalAnswer where there are no calls, and leave it out where there are some.",
  "says by its stop reason whether it asks for a tool":
    "Give toolUse where there are calls and stop where there are none, whatever the vendor calls it.",
  "gives each of its calls an id of its own and a name":
    "Make an id for each call where the vendor gives none: results are found by it.",
  "keeps arguments that are no object as text, beside an empty object":
    "Put what could not be read into malformedArguments as it was written, and give arguments {}.",
  "gives its thoughts as texts or as redacted data":
    "Give each of message.reasoning as { type: 'text', text, signature? } or as { type: 'redacted', data }.",
  "counts tokens in whole numbers and cost in numbers, none below 0":
    "Leave usage or costUsd out where the vendor says nothing that can be counted.",
  "has a name that can be recorded, the same before and after a turn":
    "Name vendor and model, such as openai:gpt-4o, once, or leave name out.",

  "leaves the request as it was": LEAVE_ALONE,
  "leaves the request of a stream as it was": LEAVE_ALONE,
  "takes a request that is frozen": LEAVE_ALONE,
  "streams the answer to a request that is frozen": LEAVE_ALONE,
  "gives a response that is the caller's own": OWN_RESPONSE,
  "streams a response that is the caller's own": OWN_RESPONSE,
  "leaves a response alone once it was given": KEPT,
  "leaves a streamed response alone once it was given": KEPT,
  "answers on after a caller has frozen its response":
    "Write into no response that was handed out: the caller may freeze it.",
  "does not answer a call whose signal has fired": STOP_EARLY,
  "does not stream a call whose signal has fired": STOP_EARLY,
  "answers the call after one that was aborted": "An aborted call ends that call alone, and not the provider.",
  "ends a call whose signal fires while it runs": STOP_MIDWAY,
  "ends a stream whose signal fires while it runs": STOP_MIDWAY,
  "answers the call after a stream that was left early":
    "Put what a stream has to give back (a connection, a lock) into a finally block of its generator.",

  "gives a stream at once, and throws nothing before it is read":
    "Make stream an async generator (async *stream), which begins with the first next().",
  "streams pieces of the kinds that there are":
    "Yield text-delta and reasoning-delta with text, tool-call-delta with index and argumentsText, and response.",
  "ends a stream with its response, which comes once": "Yield { type: 'response', response } once, as the last piece.",
  "says nothing more once a stream has ended": "Give { done: true } to every next() after the end.",
  "streams a response that turn could give": "Make the response of turn and of stream by the same code.",
  "streams the words of its response": "Yield every piece of the text once, in order, and nothing that is not in it.",
  "streams each call with its id and name once, and the arguments of its response":
    "Give id and name with the first piece of a call alone, index as its place in toolCalls, and the arguments in pieces.",
  "streams calls that are made at once, each from its beginning to its end":
    "Let streams run side by side: a next() of one waits for no other.",

  "answers calls that are made at once, each with a response of its own": OWN_STATE,
  "answers a call made at once with others as it does alone": OWN_STATE,
  "streams a call made at once with others as it does alone": OWN_STATE,
  "streams the response that turn gives": "Make the response of turn and of stream by the same code.",

  "fails by a rejection with an Error": "Reject with an AgentError.",
  "says by kind and retryable what a caller may do about a failure":
    "Reject with new AgentError('provider-response', message, { kind, retryable }).",
  "fails again the same way, and does not hang or answer at the second call":
    "Let each call fail for itself, and keep nothing of a failed call.",
  "fails by stream as it does by turn": "Make the error of turn and of stream by the same code.",
  "ends a call that waits when its signal fires": STOP_MIDWAY,
  "ends a call that waits longer than its timeoutMs, and says so":
    "Reject after request.timeoutMs with new AgentError('timeout', message, { kind: 'timeout', retryable: true }).",
};
