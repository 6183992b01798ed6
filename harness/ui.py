# SPDX-License-Identifier: GPL-2.0-or-later
"""What the harness tells its user: one progress line, one line per finished
step, one line when something goes wrong; everything else goes to a log file.
"""

import concurrent.futures
import contextlib
import fcntl
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
LOGS = BUILD / "log"

# What run() returns for a command that it ended itself.
TIMED_OUT = "timed out"

# The processes that run() has under way, in any thread, and whether other
# threads must not start more because one has failed or the user interrupts.
RUNNING = set()
STOPPING = threading.Event()

# How often a step that is not on a terminal says that it is still alive.
QUIET_INTERVAL = 30


class Failure(Exception):
    """Something the user must know about; its text is the one line shown."""


def shown(path):
    """A path as the user would type it from the top of the repository."""
    try:
        return str(pathlib.Path(path).relative_to(ROOT))
    except ValueError:
        return str(path)


def fresh_log(name):
    """An empty file of LOGS, by its name without .log."""
    log = LOGS / f"{name}.log"
    log.write_text("", encoding="utf-8")
    return log


@contextlib.contextmanager
def scratch(name="scratch"):
    """A directory below build/, for a moment."""
    with tempfile.TemporaryDirectory(dir=BUILD, prefix=f"{name}-") as directory:
        yield pathlib.Path(directory)


def clock(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


class Step:
    """A long step with a line that says what, how far, and for how long.

    Used as a context manager. Several may be under way in as many threads, and
    advance() may be called from any. One thread draws for all of them, so that
    the elapsed time keeps moving while a step has nothing to report.
    """

    _lock = threading.Lock()
    _active = []
    _drawer = None

    def __init__(self, what, total=None):
        self.what = what
        self.total = total
        self.done = 0
        self.note = ""
        self.outcome = None

    def advance(self, note=None):
        self.done += 1
        if note is not None:
            self.note = note

    def _line(self):
        far = ""
        if self.total:
            percent = min(99, 100 * self.done // self.total)
            far = f" {self.done}/{self.total} {percent}%"
        elif self.done:
            far = f" {self.done}"
        note = f" {self.note}" if self.note else ""
        return f"{self.what}:{far} {clock(time.monotonic() - self._start)}{note}"

    @classmethod
    def _draw(cls):
        tty = sys.stdout.isatty()
        shown_at = time.monotonic()
        while True:
            time.sleep(0.5)
            with cls._lock:
                if not cls._active:
                    cls._drawer = None
                    return
                lines = [step._line() for step in cls._active]
                if tty:
                    width = os.get_terminal_size(sys.stdout.fileno()).columns
                    each = max(20, (width - 1) // len(lines) - 3)
                    print("\r\033[K" + " | ".join(line[:each] for line in lines)[:width - 1],
                          end="", flush=True)
                elif time.monotonic() - shown_at >= QUIET_INTERVAL:
                    shown_at = time.monotonic()
                    print("".join(f"  ... {line}\n" for line in lines), end="", flush=True)

    def __enter__(self):
        self._start = time.monotonic()
        with Step._lock:
            Step._active.append(self)
            if not Step._drawer:
                Step._drawer = threading.Thread(target=Step._draw, daemon=True)
                Step._drawer.start()
        return self

    def __exit__(self, kind, value, trace):
        state = "ok  " if kind is None else "FAIL"
        outcome = f" ({self.outcome})" if self.outcome else ""
        elapsed = clock(time.monotonic() - self._start)
        with Step._lock:
            Step._active.remove(self)
            say(f"{state} {self.what}{outcome}  {elapsed}")
        return False


def say(text):
    """Print a line, over that of the steps under way."""
    print(("\r\033[K" if sys.stdout.isatty() else "") + text, flush=True)


def run(argv, log=None, on_line=None, env=None, cwd=None, timeout=None, idle=None, hung=None):
    """Run a command, its output appended to a log, and return its status.

    The command gets a process group of its own, which is ended as a whole
    when the user interrupts, after TIMEOUT seconds, after IDLE seconds without
    a line of output, or when HUNG(), called five times a second, says so
    (status TIMED_OUT): make and QEMU leave nothing behind.
    """
    if STOPPING.is_set():
        raise Failure("interrupted")
    argv = [str(word) for word in argv]
    sink = None
    if log:
        log.parent.mkdir(parents=True, exist_ok=True)
        sink = open(log, "a", encoding="utf-8")
        sink.write("$ " + " ".join(argv) + "\n")
        sink.flush()
    process = subprocess.Popen(
        argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True, text=True, errors="replace")
    if argv[0] == "nice":
        # The scheduler weighs sessions first, and a nice value only within one.
        with contextlib.suppress(OSError):
            pathlib.Path(f"/proc/{process.pid}/autogroup").write_text(argv[2], encoding="ascii")
    RUNNING.add(process)
    over = threading.Event()
    heard = [time.monotonic()]
    started = heard[0]

    def watch():
        while process.poll() is None:
            now = time.monotonic()
            if ((timeout and now - started > timeout) or (idle and now - heard[0] > idle)
                    or (hung and hung())):
                over.set()
                end_group(process)
                return
            time.sleep(0.2)

    threading.Thread(target=watch, daemon=True).start()
    try:
        for line in process.stdout:
            heard[0] = time.monotonic()
            if sink:
                sink.write(line)
                sink.flush()
            if on_line:
                on_line(line.rstrip("\r\n"))
        status = process.wait()
        return TIMED_OUT if over.is_set() else status
    finally:
        end_group(process)
        RUNNING.discard(process)
        if sink:
            sink.close()


def ask(argv, **options):
    """Run a command for what it says, with any status; OPTIONS are subprocess.run()'s."""
    return subprocess.run(argv, capture_output=True, text=True, check=False, **options)


def end_group(process):
    """End a process started by run() and all that it started."""
    for number, patience in ((signal.SIGTERM, 5), (signal.SIGKILL, None)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        try:
            process.wait(patience)
            return
        except subprocess.TimeoutExpired:
            continue


def stop():
    """End the commands of all threads, and let none start another."""
    STOPPING.set()
    for process in list(RUNNING):
        end_group(process)


def parallel(function, items, width=None):
    """Call a function for WIDTH items at once, or for all; the first failure is raised."""
    with concurrent.futures.ThreadPoolExecutor(width or len(items)) as pool:
        try:
            return list(pool.map(function, items))
        except BaseException:
            # The other threads wait for commands of theirs.
            stop()
            raise


def must(argv, log, what, **kwargs):
    """run(), but a failure ends the step with the log's last words."""
    if run(argv, log, **kwargs):
        raise Failure(f"{what} failed: {last_error(log)} (log: {shown(log)})")


def last_error(log):
    """The line of a log most likely to say what went wrong."""
    lines = [line.strip() for line in
             log.read_text(encoding="utf-8", errors="replace").splitlines()
             if line.strip()]
    wanted = re.compile(r"\berror\b|^E:|No space left|\*\*\*", re.IGNORECASE)
    for line in lines[-200:]:
        if wanted.search(line):
            return line
    return lines[-1] if lines else "no output"


@contextlib.contextmanager
def build_lock():
    """One harness command at a time: they share the trees under build/."""
    LOGS.mkdir(parents=True, exist_ok=True)
    with open(BUILD / ".lock", "w", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failure("another make is at work in build/; "
                          "wait for it or end it") from None
        yield


def main(function):
    """Call a command's main function and turn its end into an exit status."""
    # A terminated run must clean up like an interrupted one.
    signal.signal(signal.SIGTERM, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    try:
        with build_lock():
            sys.exit(function(sys.argv[1:]))
    except Failure as failure:
        print(f"error: {failure}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("error: interrupted; run the same command again to go on", file=sys.stderr)
        sys.exit(130)
    except OSError as failure:
        print(f"error: {failure}", file=sys.stderr)
        sys.exit(1)
