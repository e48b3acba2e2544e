"""Cassettes of model calls in pytest, one for each test. See docs/python.md of the package playhead.

A test with the marker or the fixture `cassette` talks to `cassette serve --control`, which replays or records as
CASSETTE_MODE says. Clients find this server by their base URL variables. Standard library and pytest only.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterator

import pytest

PROTOCOL = 1
"""The version of the lines between this file and the server."""

ANSWER_SECONDS = 60
"""The longest wait for one answer of the server. It takes a second at most to open or close a cassette."""

MARKER_OPTIONS = ("mode", "filter", "filter_file", "pass_", "allow_unused", "allow_redacted", "keep_errors")
MAX_NAME_BYTES = 100
MAX_MESSAGE = 10_000

PLAIN_NAME = re.compile(r"(\w+::)*(?!(con|prn|aux|nul|com\d|lpt\d)$)\w+(\[\w+(-\w+)*\])?", re.ASCII | re.IGNORECASE)
"""Test names whose file names differ wherever the names do. Windows reserves the excluded ones."""

WORDS = {"replay": "replayed", "record": "recorded", "refresh": "recorded again", "live": "live"}


class PlayheadError(Exception):
    """The server does not start, or does not answer."""


@dataclass
class Cassette:
    """The cassette of the running test."""

    id: str
    file: str
    """The path from the folder where pytest was started."""
    mode: str
    """`replay`, `record`, `refresh` or `live`."""
    url: str
    """A base URL for any vendor. The path of a request tells the vendor."""
    variables: dict[str, str]
    """The base URL of each client, by its variable in the environment. Empty in mode `live`."""
    scores: dict[str, float | list[float]] = field(default_factory=dict)

    def score(self, name: str, value: float | list[float]) -> None:
        """Scores the run. More is better. A list has the grades of one answer. A recording keeps the scores."""
        if name in self.scores:
            raise ValueError(f"this test already has the score {name!r}. Give each score its own name.")
        grades = value if isinstance(value, list) else [value]
        if not grades or not all(isinstance(grade, (int, float)) and math.isfinite(grade) for grade in grades):
            raise ValueError(f"the score {name!r} is {value!r}. Pass a finite number, or a list of them.")
        self.scores[name] = value


class Server:
    """A process of `cassette serve --control`. It ends when its stdin closes, so it never outlives pytest."""

    def __init__(self, config: pytest.Config) -> None:
        self.messages = tempfile.TemporaryFile()
        self.lock = threading.Lock()
        self.process = subprocess.Popen(
            [*find_command(config.rootpath), "serve", "--control"],
            cwd=config.invocation_params.dir,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.messages,
            # Ctrl-C is for pytest, which then ends the server.
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        self.hello = self.read()
        if self.hello["control"] != PROTOCOL:
            self.close()
            version = self.hello["version"]
            raise PlayheadError(f"playhead {version} does not fit {__file__}. Take both from one package.")

    def ask(self, order: dict[str, Any]) -> dict[str, Any]:
        with self.lock:
            try:
                self.process.stdin.write(json.dumps(order).encode() + b"\n")
                self.process.stdin.flush()
            except OSError:
                pass  # The server has ended, and reading says why.
            return self.read()

    def read(self) -> dict[str, Any]:
        timer = threading.Timer(ANSWER_SECONDS, self.process.kill)
        timer.daemon = True
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        if line:
            return json.loads(line)
        code = self.process.wait()
        raise PlayheadError(f"the server of playhead ended with exit code {code}\n{self.close()}".rstrip())

    def close(self) -> str:
        """Ends the process, and returns the messages that it wrote."""
        try:
            self.process.stdin.close()
            self.process.wait(ANSWER_SECONDS)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.messages.seek(0)
        return self.messages.read().decode(errors="replace").strip()


def find_command(root: Path) -> list[str]:
    """Node and the script of the command. The package that this file belongs to comes first."""
    node = shutil.which("node")
    if node is None:
        raise PlayheadError("the command node was not found. Install Node 20.19 or newer.")
    folders = [folder for start in (root, Path.cwd()) for folder in (start, *start.parents)]
    packages = [Path(__file__).resolve().parent.parent, *(folder / "node_modules" / "playhead" for folder in folders)]
    for package in packages:
        script = package / "dist" / "cli" / "bin.js"
        if script.is_file():
            return [node, str(script)]
    raise PlayheadError(f"the package playhead was not found from {root}. Run: npm install --save-dev playhead")


def names_of(item: pytest.Item) -> list[str]:
    """`["TestBirds", "test_counts[2-a]"]`. An id may have more parts, which plugins add."""
    return [node.name for node in item.listchain() if isinstance(node, (pytest.Class, pytest.Item))]


def cassette_name(item: pytest.Item) -> str:
    """`TestBirds::test_counts[2-a]` becomes `TestBirds--test_counts-2-a`. Other kinds of names get a hash."""
    names = names_of(item)
    whole = "::".join(names)
    slug = "--".join(re.sub(r"\W+", "-", name).strip("-") for name in names)
    if PLAIN_NAME.fullmatch(whole) and len(slug) <= MAX_NAME_BYTES:
        return slug
    digest = hashlib.sha256(whole.encode(errors="surrogatepass")).hexdigest()[:8]
    return f"{slug.encode(errors='ignore')[: MAX_NAME_BYTES - 9].decode(errors='ignore')}-{digest}"


def cassette_path(item: pytest.Item) -> Path:
    """`__cassettes__/<test file>/<test>.cassette.json` next to the test file, or the file that a marker names."""
    for marker in item.iter_markers("cassette"):
        if marker.args:
            return item.path.parent / str(marker.args[0])
    folder = Path(os.environ.get("CASSETTE_DIR") or "__cassettes__")
    name = f"{cassette_name(item)}.cassette.json"
    if not folder.is_absolute():
        return item.path.parent / folder / item.path.name / name
    parts = Path(os.path.relpath(item.path, item.config.rootpath)).parts
    return folder.joinpath(*("__" if part == ".." else part for part in parts), name)


def from_start(path: Path, config: pytest.Config) -> str:
    """The path from the folder where pytest was started. A test may have left it."""
    try:
        return os.path.relpath(path, config.invocation_params.dir)
    except ValueError:  # It is on another drive.
        return str(path)


def options_of(item: pytest.Item) -> dict[str, Any]:
    """The options in the words of the server. The marker of a test wins over those of its class and module."""
    given: dict[str, Any] = {}
    for marker in reversed([*item.iter_markers("cassette")]):
        given.update(marker.kwargs)
    unknown = [name for name in given if name not in MARKER_OPTIONS]
    if unknown:
        known = ", ".join(MARKER_OPTIONS)
        pytest.fail(f"the marker cassette has no option {', '.join(unknown)}. Its options are {known}.", pytrace=False)
    options: dict[str, Any] = {}
    for name, value in given.items():
        try:
            options[re.sub(r"_(\w)", lambda match: match[1].upper(), name).rstrip("_")] = to_json(value)
        except (TypeError, ValueError):
            pytest.fail(f"the option {name} of the marker cassette is {value!r}, which is not JSON", pytrace=False)
    return options


def to_json(value: Any) -> Any:
    """The value, with paths as texts. Raises `TypeError` or `ValueError` for one that JSON cannot hold."""
    return json.loads(json.dumps(value, default=os.fspath, allow_nan=False))


def set_environment(keys: dict[str, str], variables: dict[str, str]) -> dict[str, str | None]:
    """Sets base URLs, and keys that are missing. Returns the values before."""
    values = {**{name: key for name, key in keys.items() if not os.environ.get(name)}, **variables}
    for name in ("NO_PROXY", "no_proxy") if variables else ():  # The server is on this machine.
        values[name] = ",".join(filter(None, [os.environ.get(name), "127.0.0.1"]))
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    return before


def restore_environment(before: dict[str, str | None]) -> None:
    for name, value in before.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value


def uses_cassette(item: pytest.Item) -> bool:
    return item.get_closest_marker("cassette") is not None or "cassette" in getattr(item, "fixturenames", ())


def add_report(report: pytest.TestReport, text: str, is_reason: bool) -> None:
    """Adds to the text of a failed test. A reason also goes to the line of the test in the summary."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if not hasattr(report.longrepr, "addsection"):
        report.longrepr = f"{report.longrepr}\n\n{text}"
        return
    report.longrepr.addsection("cassette", text)
    if is_reason and crash is not None:
        crash.message = f"{text.partition(chr(10))[0]} ({crash.message.partition(chr(10))[0]})"


OPEN = pytest.StashKey[Cassette]()
BEFORE = pytest.StashKey["dict[str, str | None]"]()
ENDED = pytest.StashKey["dict[str, Any]"]()


class Playhead:
    """The hooks of one process. Each worker of pytest-xdist has its own, with a server of its own."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.server: Server | None = None
        self.failure: str | None = None
        self.owners: dict[str, str] = {}
        self.ended: list[dict[str, Any]] = []
        self.messages: list[str] = []
        self.before: dict[str, str | None] = {}
        is_controller = getattr(config.option, "dist", "no") != "no" and not hasattr(config, "workerinput")
        if config.getini("cassette_at_import") and not is_controller:
            hello = self.start().hello
            self.before = set_environment(hello["keys"], hello["variables"])

    def start(self) -> Server:
        if self.failure is not None:
            raise PlayheadError(self.failure)
        try:
            self.server = self.server or Server(self.config)
            return self.server
        except PlayheadError as error:
            self.failure = str(error)
            raise

    def ask(self, order: dict[str, Any]) -> dict[str, Any]:
        """Fails the test with the text of an error."""
        try:
            answer = self.start().ask(order)
        except PlayheadError as error:
            self.failure = str(error)
            answer = {"error": {"text": self.failure}}
        if "error" in answer:
            pytest.fail(answer["error"]["text"], pytrace=False)
        return answer

    def close(self, item: pytest.Item, failure: str | None) -> dict[str, Any]:
        cassette = item.stash[OPEN]
        del item.stash[OPEN]
        end = {"failed": False} if failure is None else {"failed": True, "error": failure}
        scores = {"scores": cassette.scores} if cassette.scores else {}
        item.stash[ENDED] = self.ask({"close": cassette.id, **end, **scores})
        return item.stash[ENDED]

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        for item in filter(uses_cassette, items):
            self.owners.setdefault(str(cassette_path(item)).casefold(), item.nodeid)

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if not uses_cassette(item):
            return
        path = cassette_path(item)
        owner = self.owners.get(str(path).casefold(), item.nodeid)
        if owner != item.nodeid and not any(marker.args for marker in item.iter_markers("cassette")):
            pytest.fail(f"{owner} and {item.nodeid} have the same cassette. Rename one of them.", pytrace=False)
        name = "::".join([from_start(item.path, self.config), *names_of(item)])
        rerecord = f"CASSETTE_MODE=refresh python3 -m pytest {shlex.quote(name)}"
        opened = self.ask({"open": from_start(path, self.config), "rerecord": rerecord, **options_of(item)})
        item.stash[OPEN] = Cassette(opened["opened"], *(opened[name] for name in ("file", "mode", "url", "variables")))
        item.stash[BEFORE] = set_environment(opened["keys"], opened["variables"])

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        """Runs after a test that did not raise. A `unittest.TestCase` keeps its errors in `_excinfo`."""
        if OPEN in item.stash and not getattr(item, "_excinfo", None):
            ended = self.close(item, None)
            if not ended["ok"]:
                pytest.fail(ended["report"], pytrace=False)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        report = (yield).get_result()
        if call.excinfo is not None and OPEN in item.stash:
            try:
                ended = self.close(item, call.excinfo.exconly()[:MAX_MESSAGE])
            except pytest.fail.Exception as error:
                ended = {"report": str(error), "ok": True}
            if report.failed and ended["report"]:
                add_report(report, ended["report"], not ended["ok"])
        if ENDED in item.stash:
            ended = item.stash[ENDED]
            del item.stash[ENDED]
            report.playhead = {name: ended.get(name) for name in ("mode", "written", "turns", "notes")}
            report.playhead["failed"] = call.excinfo is not None

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Iterator[None]:
        yield
        restore_environment(item.stash.get(BEFORE, {}))
        item.stash[BEFORE] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if hasattr(report, "playhead"):
            self.ended.append(report.playhead)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        restore_environment(self.before)
        messages = self.server.close().splitlines() if self.server is not None else []
        self.server = None
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["playhead"] = messages
        self.messages += messages

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Collects the messages of a worker of pytest-xdist."""
        self.messages += getattr(node, "workeroutput", {}).get("playhead", [])

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        words = [WORDS[ended["mode"]] if not ended["failed"] else "of tests that did not pass" for ended in self.ended]
        counts = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))
        written = [f"wrote {ended['written']}, turns: {ended['turns']}" for ended in self.ended if ended["written"]]
        notes = [note for ended in self.ended for note in ended["notes"]]
        for line in filter(None, [counts, *written, *notes, *self.messages]):
            terminalreporter.write_line(f"cassettes: {line}")


@pytest.fixture
def cassette(request: pytest.FixtureRequest) -> Cassette:
    """The cassette of this test. The fixture has the effect of the marker."""
    return request.node.stash[OPEN]


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "set the base URLs before test modules are imported, for clients that are created at import"
    parser.addini("cassette_at_import", text, type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "cassette(file, **options): replay or record the model calls of this test")
    try:
        config.pluginmanager.register(Playhead(config), "playhead-hooks")
    except PlayheadError as error:
        raise pytest.UsageError(str(error)) from error
