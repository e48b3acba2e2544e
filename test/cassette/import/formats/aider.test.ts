import { describe, expect, it } from "vitest";
import { importLog, type ImportedCassette } from "../../../../src/cassette/import/import.js";
import type { ImportFormat } from "../../../../src/cassette/import/registry.js";
import { refusal } from "../../../support/refusal.js";
import { conversationOf, importOf } from "../verify.js";

function importText(text: string, format?: ImportFormat): ImportedCassette[] {
  const options = { source: ".aider.chat.history.md", recordedAt: "2026-11-20T12:00:00.000Z" };
  return [...importLog(text, { ...options, ...(format && { format }) })];
}

const words = ({ cassette }: ImportedCassette) => conversationOf(cassette).map(({ content }) => content);
const repairs = ({ cassette }: ImportedCassette) => importOf(cassette).repairs;

const HISTORY = `
# aider chat started at 2026-03-01 10:00:00

> Aider v0.86.1  
> Main model: m-1 with diff edit format  

#### add a test  
#### for the parser  

I add it.

\`\`\`python
a.py
<<<<<<< SEARCH
=======
x = 1
>>>>>>> REPLACE
\`\`\`

> Tokens: 2.3k sent, 1k cache hit, 212 received. Cost: $0.01 message, $0.02 session.  
> Applied edit to a.py  

It is there.

# aider chat started at 2026-03-02 10:00:00

> Aider v0.86.1  
> Model: m-2 with whole edit format  

#### go

half an ans

> ^C KeyboardInterrupt  

# aider chat started at 2026-03-03 10:00:00

> Aider v0.86.1  
`;

describe("a history without a prompt", () => {
  it("is refused as what it is", async () => {
    const text = "\n# aider chat started at 2026-03-01 10:00:00\n\n> Aider v0.86.1  \n";
    expect(await refusal(() => importText(text))).toMatchObject({
      code: "import-malformed",
      message: expect.stringContaining("this chat history of aider has no line of a user") as string,
    });
  });
});

describe("a chat history of aider", () => {
  it("is one run for each session with a prompt, with rounded tokens and the price", () => {
    const [one, two, ...more] = importText(HISTORY.replaceAll("\n", "\r\n")) as [ImportedCassette, ImportedCassette];
    expect(more).toEqual([]);
    expect(one).toMatchObject({ model: "m-1", task: ".aider.chat.history-1", trial: "2026-03-01 10:00:00" });
    expect(words(one)).toEqual([
      "add a test\nfor the parser",
      "I add it.\n\n```python\na.py\n<<<<<<< SEARCH\n=======\nx = 1\n>>>>>>> REPLACE\n```",
      "It is there.",
    ]);
    expect(one.cassette.entries[0]?.response).toMatchObject({
      usage: { inputTokens: 2300, outputTokens: 212 },
      costUsd: 0.01,
    });
    expect(repairs(one)).toEqual({ "meta-line-dropped": 3 });
    expect(two).toMatchObject({ model: "m-2" });
    expect(two.cassette.entries[0]?.response).toMatchObject({ stopReason: "error" });
  });

  it("is found in a page that shows it, without the page", () => {
    const [run] = importText(
      '---\ntitle: T\n---\n\n# A page\n\n<div class="chat-transcript" markdown="1">\n\n#### go  \n\ndone\n\n</div>\n<br/>\n',
    );
    expect(words(run as ImportedCassette)).toEqual(["go", "done"]);
    expect(repairs(run as ImportedCassette)).toEqual({ "meta-line-dropped": 1 });
  });

  it("is only what looks like one, unless the caller says so", () => {
    const text = "#### go\n\ndone\n";
    expect(refusal(() => importText(text))).toMatchObject({ code: "import-malformed" });
    expect(words(importText(text, "aider")[0] as ImportedCassette)).toEqual(["go", "done"]);
    expect(refusal(() => importText("no chat", "aider"))).toMatchObject({ code: "import-malformed" });
  });
});
