// The pytest plugin, run by a real pytest with a stand-in for a vendor.

import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { assertBuilt, cassetteBin, repositoryRoot } from "../support/built.js";
import { describePython, python } from "../support/python.js";
import { pytestProject, type PytestProject } from "../support/pytest-project.js";
import { listen } from "../support/wire.js";

assertBuilt();

const HEAD = "import os, threading, time, unittest, pytest\nfrom agent import ask\n\n";

/** A vendor on the OpenAI wire that repeats each question. */
let vendor: { baseURL: string; close(): Promise<void> };
beforeAll(async () => {
  vendor = await listen((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { messages = [] } = JSON.parse(Buffer.concat(chunks).toString()) as { messages?: { content: string }[] };
      const message = { role: "assistant", content: `echo ${messages.at(-1)?.content ?? ""}` };
      const choices = [{ index: 0, message, finish_reason: "stop" }];
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ id: "1", model: "m", choices }));
    });
  });
});
afterAll(() => vendor.close());

const projects: PytestProject[] = [];
afterEach(() => projects.splice(0).forEach((project) => project.remove()));

function projectOf(files: Record<string, string>, plugin?: string): PytestProject {
  const project = pytestProject(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [name, name.endsWith(".py") ? HEAD + text : text])),
    plugin,
  );
  projects.push(project);
  return project;
}

const live = (mode = "record") => ({
  OPENAI_BASE_URL: `${vendor.baseURL}/v1`,
  OPENAI_API_KEY: "k",
  CASSETTE_MODE: mode,
});

/** Servers that run in the folder of a project. */
function servers({ folder }: PytestProject): string[] {
  const { stdout } = spawnSync("pgrep", ["-f", "--", "serve --control"], { encoding: "utf8" });
  const isHere = (pid: string) => {
    const { stdout: at } = spawnSync("readlink", [`/proc/${pid}/cwd`], { encoding: "utf8" });
    return at.trim() === folder;
  };
  return stdout.split("\n").filter((pid) => pid !== "" && isHere(pid));
}

/** Waits until something holds. The time limit of the test ends it. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await wait(20);
}

describePython("a test with the marker", () => {
  it("records, replays without a key, and reports a miss as its failure", async () => {
    const project = projectOf({
      "test_birds.py": `@pytest.mark.cassette
def test_count():
    word = os.environ.get("WORD", "birds")
    assert ask(f"How many {word}?") == f"echo How many {word}?"

def test_other():
    assert "OPENAI_BASE_URL" not in os.environ or os.environ["OPENAI_BASE_URL"].endswith("/v1")
    assert "cassette" not in os.environ.get("OPENAI_BASE_URL", "")
`,
    });
    const recorded = await project.run(live());
    expect(recorded.out).toContain("cassettes: 1 recorded\n");
    expect(recorded.code).toBe(0);
    const file = "__cassettes__/test_birds.py/test_count.cassette.json";
    expect(project.recordings()).toEqual([file]);
    const replayed = await project.run({ CI: "true" });
    expect(replayed.out).toContain("cassettes: 1 replayed\n");
    expect(replayed.code).toBe(0);
    const missed = await project.run({ WORD: "cats" });
    expect(missed.code).toBe(1);
    expect(missed.out).toContain(`- cassette -`);
    expect(missed.out).toContain(`turn 0: the user message changed (message 0)
  at       /0/content
  recorded "How many birds?"
  now      "How many cats?"
  nearest  recorded turn 0
  file     ${file}
  to do    Undo the change, or record again and review the new cassette.
  command  CASSETTE_MODE=refresh python3 -m pytest test_birds.py::test_count
`);
    expect(missed.out).toContain("FAILED test_birds.py::test_count - turn 0: the user message changed (message 0)");
    expect(servers(project)).toEqual([]);
  });

  it("keeps its scores with the recording, which the drift gate compares, and a replay changes nothing", async () => {
    const project = projectOf({
      "test_a.py": `@pytest.mark.cassette
def test_brief(cassette):
    answer = ask("Oslo?")
    cassette.score("brief", float(os.environ["BRIEF"]))
    cassette.score("helpful", [4, 5])
    with pytest.raises(ValueError, match="already has the score 'brief'"):
        cassette.score("brief", 1)
    with pytest.raises(ValueError, match="Pass a finite number"):
        cassette.score("other", float("nan"))
    assert answer == "echo Oslo?" and "FAIL" not in os.environ
`,
    });
    const file = "__cassettes__/test_a.py/test_brief.cassette.json";
    const scoresIn = (name: string): unknown => {
      const text = readFileSync(join(project.folder, name), "utf8");
      return (JSON.parse(text) as { extensions: Record<string, unknown> }).extensions["scores"];
    };
    for (const [side, brief] of [
      ["old", "1"],
      ["new", "0.25"],
    ] as const) {
      expect((await project.run({ ...live("refresh"), BRIEF: brief })).code).toBe(0);
      expect(scoresIn(file)).toEqual({ brief: Number(brief), helpful: [4, 5] });
      mkdirSync(join(project.folder, side), { recursive: true });
      for (let run = 0; run < 6; run++) {
        copyFileSync(join(project.folder, file), join(project.folder, side, `brief.${run}.cassette.json`));
      }
    }
    const before = readFileSync(join(project.folder, file), "utf8");
    const replayed = await project.run({ CI: "true", BRIEF: "1" });
    expect(replayed.out).toContain("cassettes: 1 replayed\n");
    expect(replayed.code).toBe(0);
    expect(readFileSync(join(project.folder, file), "utf8")).toBe(before);

    const argv = [cassetteBin, "drift", "old", "new", "--fail-on", "score:brief:-0.5"];
    const gate = spawnSync(process.execPath, argv, { cwd: project.folder, encoding: "utf8" });
    expect(gate.stdout).toContain("the score brief fell from 1 to 0.25 on average");
    expect(gate.stdout).toContain("score:helpful: repeated grades of 12 answers are equal in 0% of pairs");
    expect(gate.status).toBe(1);

    expect((await project.run({ ...live("refresh"), BRIEF: "0.5", FAIL: "1" })).code).toBe(1);
    expect(scoresIn(file.replace(".cassette", ".failed.cassette"))).toEqual({ brief: 0.5, helpful: [4, 5] });
  });

  it("fails for a miss that it caught, in a thread too, and for unused turns", async () => {
    const project = projectOf({
      "test_a.py": `SHORT = "SHORT" in os.environ

def quietly(question):
    try:
        ask(question)
    except OSError:
        pass

@pytest.mark.cassette
def test_caught():
    quietly("new" if SHORT else "old")

@pytest.mark.cassette
def test_threads():
    threads = [threading.Thread(target=quietly, args=(f"{n} {SHORT}",)) for n in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()

@pytest.mark.cassette
def test_unused():
    ask("one")
    SHORT or ask("two")

@pytest.mark.cassette(allow_unused=True)
def test_allowed():
    ask("one")
    SHORT or ask("two")
`,
    });
    expect((await project.run(live())).code).toBe(0);
    expect((await project.run()).code).toBe(0);
    const { out, code } = await project.run({ SHORT: "1" });
    expect(code).toBe(1);
    expect(out).toMatch(/_ test_caught _+\nturn 0: the user message changed/);
    expect(out).toMatch(/_ test_threads _+\nturn 0: the user message changed/);
    expect(out).toMatch(/_ test_unused _+\n1 of 2 recorded turns and exchanges was never requested/);
    expect(out).toContain("3 failed, 1 passed");
    expect(out).toContain("cassettes: 1 of 2 recorded turns and exchanges was never requested\n");
  });

  it("keeps the recording of a failed test, and fails if nothing was recorded", async () => {
    const project = projectOf({
      "test_a.py": `@pytest.mark.cassette
def test_wrong():
    assert ask("a") == "b"

@pytest.fixture
def broken():
    ask("in set-up")
    raise RuntimeError("broken")

@pytest.mark.cassette
def test_setup(broken): pass

@pytest.mark.cassette
@pytest.mark.xfail
def test_xfail():
    ask("x")
    assert False

@pytest.mark.cassette
class TestCase(unittest.TestCase):
    def test_right(self): self.assertEqual(ask("u"), "echo u")
    def test_wrong(self): self.assertEqual(ask("u"), "")

@pytest.mark.cassette
def test_nothing(): pass
`,
    });
    const { out } = await project.run(live());
    expect(out).toContain("3 failed, 1 passed, 1 xfailed, 1 error");
    expect(project.recordings().map((name) => name.replace("__cassettes__/test_a.py/", ""))).toEqual([
      "TestCase--test_right.cassette.json",
      "TestCase--test_wrong.failed.cassette.json",
      "test_setup.failed.cassette.json",
      "test_wrong.failed.cassette.json",
      "test_xfail.failed.cassette.json",
    ]);
    expect(out).toContain(
      "keep     npx playhead record --adopt __cassettes__/test_a.py/test_wrong.failed.cassette.json",
    );
    expect(out).toContain("No request came. Let the client read its base URL from OPENAI_BASE_URL");
  });

  it("is not opened if it is skipped, and a later request is refused and listed", async () => {
    const project = projectOf({
      "test_a.py": `@pytest.mark.cassette
@pytest.mark.skip
def test_skipped(): pass

@pytest.fixture
def cleaning():
    yield
    with pytest.raises(OSError): ask("in clean-up")

@pytest.mark.cassette
def test_late(cleaning): ask("in time")

def test_environment():
    assert "OPENAI_BASE_URL" not in os.environ or "cassette" not in os.environ["OPENAI_BASE_URL"]
`,
    });
    const { out, code } = await project.run(live());
    expect(code).toBe(0);
    expect(out).toContain("2 passed, 1 skipped");
    const file = "__cassettes__/test_a.py/test_late.cassette.json";
    expect(out).toContain(
      `cassettes: refused: POST /v1/chat/completions: its cassette is not open any more: ${file}\n`,
    );
    expect(project.recordings()).toEqual([file]);
  });

  it("takes options and a file of its own, and refuses what it does not know", async () => {
    const project = projectOf({
      "tests/test_a.py": `pytestmark = pytest.mark.cassette(filter=["isoDate"])

@pytest.mark.cassette("own.cassette.json")
def test_own(cassette):
    assert cassette.file == os.path.join("tests", "own.cassette.json")
    ask("Today is " + os.environ.get("DAY", "2026-01-01"), cassette.url + "/v1")

@pytest.mark.cassette(mode="live")
def test_live(cassette):
    assert cassette.mode == "live" and cassette.variables == {}

@pytest.mark.cassette(modus="live")
def test_unknown(): pass

@pytest.mark.cassette(pass_=["no path"])
def test_pattern(): pass

@pytest.mark.cassette(filter={"isoDate"})
def test_set(): pass

@pytest.mark.cassette(filter_file=__import__("pathlib").Path("filters.json"))
def test_path(): pass
`,
    });
    const { out } = await project.run(live());
    expect(out).toContain("the marker cassette has no option modus. Its options are mode, filter,");
    expect(out).toContain('"no path" is not a pattern');
    expect(out).toContain("the option filter of the marker cassette is {'isoDate'}, which is not JSON");
    expect(out).toContain("there is no filter file at filters.json");
    expect(out).toContain("2 passed, 4 errors");
    expect(project.recordings()).toEqual(["tests/own.cassette.json"]);
    expect((await project.run({ DAY: "2027-02-02" }, "-k", "test_own")).code).toBe(0);
  });

  it("finds its cassette after a test left the folder, and its server past a proxy", async () => {
    const project = projectOf({
      "test_a.py": `def test_leaves(): os.chdir("/")

@pytest.mark.cassette
def test_a(): ask("a")

def test_environment(): assert os.environ["NO_PROXY"] == "a.example"
`,
    });
    const env = { HTTP_PROXY: "http://127.0.0.1:1", http_proxy: "http://127.0.0.1:1", NO_PROXY: "a.example" };
    expect((await project.run({ ...live(), ...env })).code).toBe(0);
    expect(project.recordings()).toEqual(["__cassettes__/test_a.py/test_a.cassette.json"]);
    expect((await project.run({ CI: "1", ...env })).code).toBe(0);
  });

  it.each([
    [{ CI: "true", CASSETTE_MODE: "record" }, "mode record would record, but CI is set and CI never records"],
    [{ CASSETTE_MODE: "yes" }, '"yes" is not a cassette mode'],
    [{}, "there is no cassette at __cassettes__/test_a.py/test_a.cassette.json"],
    [{ PATH: "/nowhere" }, "the command node was not found. Install Node 20.19 or newer."],
  ])("with %o is an error before its fixtures run", async (env, message) => {
    const project = projectOf({ "test_a.py": "@pytest.mark.cassette\ndef test_a(): ask('a')\n" });
    const { out, code } = await project.run(env as unknown as Record<string, string>);
    expect(code).toBe(1);
    expect(out).toContain("ERROR at setup of test_a");
    expect(out).toContain(message);
  });
});

describePython("the files", () => {
  const names = async (project: PytestProject) => {
    const { out } = await project.run(live());
    return { out, names: project.recordings() };
  };

  it("have the names of their tests, with a hash where a name has other characters", async () => {
    const project = projectOf({
      "test_a.py": `@pytest.mark.parametrize("n", ["oslo", 1, "-1", "1.5", "a/b", "a b", "", "ü", "a::b", "x" * 200, "../up"])
def test_p(cassette, n): ask(f"a {n}")

class TestBirds:
    class TestInner:
        @pytest.mark.parametrize("a,b", [("x", 2)])
        def test_q(self, cassette, a, b): ask("q")
`,
    });
    const found = (await names(project)).names.map((name) =>
      name.replace(/^__cassettes__\/test_a\.py\/|\.cassette\.json$/g, ""),
    );
    expect(found).toHaveLength(12);
    expect(found).toEqual(expect.arrayContaining(["TestBirds--TestInner--test_q-x-2", "test_p-oslo", "test_p-1"]));
    const hashed = found.filter((name) => /-[0-9a-f]{8}$/.test(name));
    expect(hashed.map((name) => name.slice(0, -9).replace(/x{50,}/, "x…")).sort()).toEqual([
      "test_p",
      "test_p-1",
      "test_p-1-5",
      "test_p-a-b",
      "test_p-a-b",
      "test_p-a-b",
      "test_p-up",
      "test_p-xfc",
      "test_p-x…",
    ]);
    expect(Math.max(...found.map((name) => Buffer.byteLength(name)))).toBe(100);
    expect((await project.run({ CI: "1" })).code).toBe(0);
  });

  it("of equal names in several folders are apart, and CASSETTE_DIR moves them", async () => {
    const text = "@pytest.mark.cassette\ndef test_a(): ask(__file__.split(os.sep)[-2])\n";
    const project = projectOf({ "a/__init__.py": "", "b/__init__.py": "", "a/test_x.py": text, "b/test_x.py": text });
    expect((await names(project)).names).toEqual([
      "a/__cassettes__/test_x.py/test_a.cassette.json",
      "b/__cassettes__/test_x.py/test_a.cassette.json",
    ]);
    const all = join(project.folder, "all");
    expect((await project.run({ ...live(), CASSETTE_DIR: all })).code).toBe(0);
    expect((await project.run({ ...live(), CASSETTE_DIR: "own" })).code).toBe(0);
    expect(project.recordings()).toEqual(
      expect.arrayContaining(["all/a/test_x.py/test_a.cassette.json", "b/own/test_x.py/test_a.cassette.json"]),
    );
  });

  it("that some disks cannot tell apart fail the second test", async () => {
    const text = '@pytest.mark.cassette\n@pytest.mark.parametrize("n", ["Oslo", "oslo"])\ndef test_a(n): ask(n)\n';
    const { out, names: found } = await names(projectOf({ "test_a.py": text }));
    expect(out).toContain(
      "test_a.py::test_a[Oslo] and test_a.py::test_a[oslo] have the same cassette. Rename one of them.",
    );
    expect(found).toEqual(["__cassettes__/test_a.py/test_a-Oslo.cassette.json"]);
  });
});

describePython("the server", () => {
  const SLOW = `@pytest.mark.cassette
def test_slow():
    ask("first")
    open("asked", "w").close()
    time.sleep(600)
`;
  const asked =
    ({ folder }: PytestProject) =>
    () => {
      try {
        return readFileSync(join(folder, "asked")) !== undefined;
      } catch {
        return false;
      }
    };

  it.each(["SIGKILL", "SIGINT", "SIGTERM"] as const)(
    "ends if pytest gets %s, and keeps what was recorded",
    async (signal) => {
      const project = projectOf({ "test_a.py": SLOW });
      const { child, ended } = project.start(live());
      await until(asked(project));
      expect(servers(project)).toHaveLength(1);
      process.kill(signal === "SIGINT" ? -(child.pid ?? 0) : (child.pid ?? 0), signal);
      await ended;
      await until(() => servers(project).length === 0);
      expect(project.recordings()).toEqual(["__cassettes__/test_a.py/test_slow.failed.cassette.json"]);
    },
  );

  it("says why it does not start, once for all tests", async () => {
    const project = projectOf(
      { "test_a.py": "@pytest.mark.cassette\ndef test_a(): pass\n@pytest.mark.cassette\ndef test_b(): pass\n" },
      "plugin",
    );
    const home = (script: string) => {
      mkdirSync(join(project.folder, "node_modules/playhead/dist/cli"), { recursive: true });
      writeFileSync(join(project.folder, "node_modules/playhead/dist/cli/bin.js"), script);
    };
    mkdirSync(join(project.folder, "plugin"));
    copyFileSync(join(repositoryRoot, "python/pytest_playhead.py"), join(project.folder, "plugin/pytest_playhead.py"));
    const outputOf = async () => (await project.run()).out;
    expect(await outputOf()).toContain("Run: npm install --save-dev playhead");
    home('require("fs").appendFileSync("starts", "x"); console.error("error: unknown option"); process.exitCode = 2;');
    expect(await outputOf()).toContain("the server of playhead ended with exit code 2\nerror: unknown option");
    expect(readFileSync(join(project.folder, "starts"), "utf8")).toBe("x");
    home('console.log(JSON.stringify({ listening: "", control: 2, version: "9.9.9" }));');
    expect(await outputOf()).toContain("playhead 9.9.9 does not fit");
  });

  it("that dies in a test fails this test and the next ones with its messages", async () => {
    const project = projectOf({
      "test_a.py": `import signal, subprocess
@pytest.mark.cassette
def test_a():
    ask("a")
    for pid in subprocess.run(["pgrep", "-P", str(os.getpid()), "node"], capture_output=True, text=True).stdout.split():
        os.kill(int(pid), signal.SIGKILL)

@pytest.mark.cassette
def test_b(): pass
`,
    });
    const { out } = await project.run(live());
    expect(out).toContain("1 failed, 1 error");
    expect(out).toMatch(/_ test_a _+\nthe server of playhead ended with exit code -9\n/);
    expect(out).toMatch(/_ ERROR at setup of test_b _+\nthe server of playhead ended with exit code -9\n/);
    expect(out).not.toContain("another exception");
  });

  it("is also for clients that are created at import, with cassette_at_import", async () => {
    const project = projectOf({
      "client.py": "URL = os.environ['OPENAI_BASE_URL']\n",
      "test_a.py": `from client import URL

@pytest.mark.cassette
def test_a(): assert ask("a", URL) == "echo a"

def test_b():
    with pytest.raises(OSError): ask("b", URL)
`,
    });
    const flag = ["-o", "cassette_at_import=true"];
    expect((await project.run(live(), ...flag)).out).toContain("cassettes: 1 recorded\n");
    const { out, code } = await project.run({ CI: "1" }, ...flag);
    expect(code).toBe(0);
    expect(out).toContain("refused: POST /v1/chat/completions: no cassette is open");
    expect((await project.run({ CI: "1" })).out).toContain("KeyError: 'OPENAI_BASE_URL'");
  });
});

describePython("other tools", () => {
  const TESTS = {
    "test_a.py": `@pytest.mark.cassette
@pytest.mark.parametrize("n", range(6))
def test_a(n): assert ask(f"{n}") == f"echo {n}"
`,
  };

  it("cassette record and cassette replay list what pytest used", async () => {
    const project = projectOf(TESTS);
    const command = (verb: string) => [cassetteBin, verb, "--", python ?? "", "-m", "pytest", "-q", "-k", "test_a[3]"];
    const { CI: _ci, ...own } = process.env;
    const env = { ...own, ...live() };
    const run = async (verb: string) => {
      const child = spawn(process.execPath, command(verb), { cwd: project.folder, env });
      let err = "";
      child.stderr.on("data", (part: Buffer) => void (err += String(part)));
      return new Promise<string>((resolve) => child.on("close", () => resolve(err)));
    };
    const file = "__cassettes__/test_a.py/test_a-3.cassette.json";
    expect(await run("record")).toBe(`cassette record: recorded ${file}, 1 turn\n`);
    expect(await run("replay")).toBe(`cassette replay: replayed ${file}, 1 turn\n`);
  });

  describePython(
    "pytest-xdist",
    () => {
      it("runs tests in workers, each with a server of its own", async () => {
        const project = projectOf(TESTS);
        const recorded = await project.run(live(), "-n", "2");
        expect(recorded.out).toContain("cassettes: 6 recorded\n");
        expect((await project.run({ CI: "1" }, "-n", "2")).out).toContain("cassettes: 6 replayed\n");
        expect(servers(project)).toEqual([]);
      });

      it("collects the messages of the workers", async () => {
        const late = "@pytest.fixture\ndef late():\n    yield\n    try: ask('late')\n    except OSError: pass\n";
        const project = projectOf({ "test_a.py": `${late}@pytest.mark.cassette\ndef test_a(late): ask("a")\n` });
        const { out } = await project.run(live(), "-n", "2");
        expect(out).toContain("cassettes: refused: POST /v1/chat/completions: its cassette is not open any more");
      });
    },
    ["pytest", "xdist"],
  );

  describePython(
    "httpx",
    () => {
      it("streams and asks at once, in an async test", async () => {
        const project = projectOf({
          "test_a.py": `import asyncio, httpx

@pytest.mark.cassette
def test_async():
    async def ask_all():
        async with httpx.AsyncClient(base_url=os.environ["OPENAI_BASE_URL"]) as client:
            body = lambda n: {"model": "m", "messages": [{"role": "user", "content": str(n)}]}
            return await asyncio.gather(*(client.post("/chat/completions", json=body(n)) for n in range(5)))
    texts = [answer.json()["choices"][0]["message"]["content"] for answer in asyncio.run(ask_all())]
    assert texts == [f"echo {n}" for n in range(5)]
`,
        });
        expect((await project.run(live())).out).toContain("turns: 5");
        expect((await project.run({ CI: "1" })).code).toBe(0);
      });
    },
    ["pytest", "httpx"],
  );
});
