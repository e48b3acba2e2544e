// The result of a message: its output, or an error with the reason why the agent gave no output.

import type { JsonValue } from "../../../core/index.js";
import { PlumbError, type Answer } from "../../../core/process/index.js";

/** Throws `PlumbError` unless the answer is an output. */
export function readAnswer(answer: Answer): JsonValue {
  switch (answer.kind) {
    case "output":
      return answer.value;
    case "invalid":
      throw new PlumbError(
        "output-invalid",
        `no answer was valid: ${answer.reason}`,
        "Raise max_retries, or describe the output in the prompt.",
      );
    case "refused":
      throw new PlumbError("output-refused", "the vendor refused or filtered the answer", "Change the message.");
    case "budget":
      throw new PlumbError(
        "budget-exhausted",
        `the message reached the cap of ${answer.cap}`,
        "Raise the cap in the spec.",
      );
  }
}
