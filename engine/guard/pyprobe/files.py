"""Files as inputs: those that tests gave to calls, made again and varied.

A file lies where its name and content say, so that both trees give their code the same path. Each case has
its files made anew in a folder of its own: what the case before did to them, or put in their place, is gone.

Standard library only.
"""
import collections
import contextlib
import io
import os
import re
import stat
import sys
import zlib

# Tests put functions of their own in the place of these: what those count is not to count the guard's.
from os import close, fstat, pread
from os import open as open_fd
from os import stat as stat_path
from time import clock_gettime_ns

LARGEST_FILE = 32 << 10
LONGEST_PATH = 1000
REALTIME_COARSE = 5  # the clock of the times of files, CLOCK_REALTIME_COARSE
WRITTEN = 1_000_000_000  # seconds since 1970 of every file that is made
FOLDER = os.path.join(os.environ.get("TMPDIR") or "/tmp", "atoll-guard-files")
PLACE = re.compile(re.escape(FOLDER) + "/[0-9a-f]+-[0-9a-f]+/")
DRAWN = re.compile("^tmp[a-z0-9_]{8}")
MARKS = ["#", "# a comment", '"quoted word"', "''", '""', "\\", "=", ":", "[a]", "<a>", "{}", "\t", "0", "é"]
QUOTES = ['"%s"', "'%s'", "#%s", "%s#", " %s ", "\\%s", "[%s]"]


def is_path(v):
    """Whether a value is a path of pathlib, which may not be loaded."""
    return type(v).__name__ == "PosixPath" and type(v).__module__.split(".")[0] == "pathlib"


# ---- recording ----------------------------------------------------------------


def content_of(fd):
    """The content of an open file; None for what is no file or too large."""
    st = fstat(fd)
    if not stat.S_ISREG(st.st_mode) or st.st_size > LARGEST_FILE:
        return None
    content = pread(fd, LARGEST_FILE + 1, 0)
    return content if len(content) <= LARGEST_FILE else None


def content_at(path, flags=0):
    """The content of the file at a path; nothing that is no file is opened."""
    with contextlib.suppress(OSError, ValueError):
        if stat.S_ISREG(stat_path(path, follow_symlinks=not flags & os.O_NOFOLLOW).st_mode):
            fd = open_fd(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | flags)
            try:
                return content_of(fd)
            finally:
                close(fd)
    return None


class Origin:
    """Tells the files that tests write from those that are there without them."""

    def __init__(self, tree):
        self.tree, self.since = tree, clock_gettime_ns(REALTIME_COARSE)

    def written(self, path):
        """Whether a path is that of a file of the tests. A copy may keep the time of what it is a copy of; in
        the tree, whose files others may link, only the time of the content counts."""
        try:  # without a manager of a context: each text that is recorded is looked at
            st = stat_path(path)
        except (OSError, ValueError):
            return False
        inside = not path.startswith("/") or path.startswith(self.tree + "/")
        return stat.S_ISREG(st.st_mode) and (st.st_mtime_ns if inside else max(st.st_mtime_ns, st.st_ctime_ns)) >= self.since

    def recipe(self, v):
        """How a file is made again that a call was given by its path, or open to be read; None for another value."""
        if type(v) is str or is_path(v):
            path = str(v)
            content = content_at(path) if 0 < len(path) <= LONGEST_PATH and self.written(path) else None
            return None if content is None else ("file", content, name_of(path), "str" if type(v) is str else "path")
        if type(v) is getattr(sys.modules.get("tempfile"), "_TemporaryFileWrapper", None):
            v = v.file
        if type(v) in (io.TextIOWrapper, io.BufferedReader, io.BufferedRandom):
            with contextlib.suppress(Exception):  # it is closed, in the middle of a loop or of no file
                return open_recipe(v)
        return None


def open_recipe(v):
    """An open file that holds what is still to be read of it."""
    if not v.readable():
        return None
    if v.writable():
        v.flush()
    content, at = content_of(v.fileno()), v.tell()
    if content is None or at > len(content):  # what is no place in the file is a state of its decoder
        return None
    how = ("text", v.encoding, v.errors) if type(v) is io.TextIOWrapper else ("bytes",)
    return ("file", content[at:], name_of(v.name), *how)


def name_of(path):
    """The name of a file without its folder and what tempfile draws for it; a number is none."""
    return DRAWN.sub("tmp", os.fsdecode(path).rsplit("/", 1)[-1]) if isinstance(path, (str, bytes)) else "file"


# ---- making -------------------------------------------------------------------

Held = collections.namedtuple("Held", "content name")


def folder(name, within=None):
    """A folder, open, made if it is not there; no link to one."""
    try:
        os.mkdir(name, 0o700, dir_fd=within)
    except FileExistsError:
        pass
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=within)


class Files:
    """The files of a case."""

    def __init__(self):
        self.held, self.open, self.cleared = {}, [], 0

    def clear(self):
        """Takes the files of the case before away, with whatever it left in their place."""
        if self.cleared and not self.held:
            return
        for f in self.open:
            with contextlib.suppress(Exception):
                f.close()
        self.held, self.open, self.cleared = {}, [], self.cleared + 1
        aside = "%s-%d-%d" % (FOLDER, os.getpid(), self.cleared)
        with contextlib.suppress(OSError):
            os.rename(FOLDER, aside)  # also what is a link now, or may not be read
            if not stat.S_ISDIR(os.lstat(aside).st_mode):
                os.unlink(aside)
                return
            import shutil

            shutil.rmtree(aside, ignore_errors=True)

    def make(self, content, name, how, *mode):
        """Writes a file anew and gives it as a call has it: its path, or opened."""
        place = "%08x-%x" % (zlib.crc32(content), len(content))
        path = "/".join((FOLDER, place, name))
        opened = [folder(FOLDER)]
        try:
            opened.append(folder(place, opened[0]))
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name, dir_fd=opened[1])
            opened.append(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=opened[1]))
            with open(opened[2], "wb", closefd=False) as f:
                f.write(content)
            os.utime(opened[2], (WRITTEN, WRITTEN))
        finally:
            for fd in opened:
                os.close(fd)
        self.held[path] = Held(content, name)
        if how == "str":
            return path
        if how == "path":
            import pathlib

            return pathlib.Path(path)
        f = open(path, "rb") if how == "bytes" else open(path, encoding=mode[0], errors=mode[1])
        self.open.append(f)
        return f

    def of(self, v):
        """The content and name of a file that was made, by its path or as it is open; None for another value."""
        if not self.held:
            return None
        if type(v) in (io.TextIOWrapper, io.BufferedReader):
            v = getattr(v, "name", None)
        return self.held.get(str(v)) if type(v) is str or is_path(v) else None

    def text(self, v):
        """The content of a file that was made, as text."""
        return text_of(self.of(v).content)

    def like(self, v, text):
        """A file that a call has as it has v, with another content."""
        how = ("path",) if is_path(v) else {str: ("str",), io.BufferedReader: ("bytes",)}.get(type(v)) or ("text", v.encoding, v.errors)
        return self.make(content_from(text), self.of(v).name, *how)

    def words(self, v):
        """A file in words; None for another value."""
        held = self.of(v)
        if held is None:
            return None
        what = ", a Path" if is_path(v) else {str: "", io.BufferedReader: ", open for bytes"}.get(type(v), ", open")
        return "<file %r that holds %r%s>" % (held.name, text_of(held.content), what)

    def after(self, values):
        """What a call left of the files, in words: what is still to be read of those that it was given open, and all that are not as they were."""
        out = []
        for f in values:
            if type(f) in (io.TextIOWrapper, io.BufferedReader) and self.of(f):
                out.append("; %r %s" % (self.of(f).name, rest_of_file(f)))
        for path, held in self.held.items():
            now = content_at(path, os.O_NOFOLLOW)
            if now is None:
                out.append("; %r is gone, or no small file any more" % held.name)
            elif now != held.content:
                out.append("; %r holds %r after it" % (held.name, text_of(now)))
        return "".join(out)


def rest_of_file(f):
    """What a caller finds in an open file."""
    try:
        return "is closed" if f.closed else "has %r left" % f.read()
    except Exception as e:
        return "cannot be read on, %s" % type(e).__name__


def text_of(content):
    """Content as text, of which content_from makes it again whatever it is."""
    return content.decode("utf-8", "surrogateescape")


def content_from(text):
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half of a pair
        return text.encode("utf-8", "surrogatepass")


# ---- varying ------------------------------------------------------------------


def other_lines(text, d, word):
    """A text of lines with one of them another: left out, twice with some that follow, exchanged, its words moved,
    left out, quoted or others, a comment more, cut there, or nothing at all. A word is one to put in."""
    lines = text.splitlines(keepends=True)
    k = d.n(14)
    if k == 0 or not lines:
        return "" if d.n(2) else "\n"
    at = d.n(len(lines))
    line = lines[at]
    end = "\n" if line.endswith("\n") else ""
    body = line[: len(line) - len(end)]
    if k == 1:
        lines[at : at + 1] = []
    elif k == 2:
        lines[at:at] = lines[at : at + 1 + d.n(5)]
    elif k == 3:
        to = d.n(len(lines))
        lines[at], lines[to] = lines[to], line
    elif k == 4:
        lines.insert(at, d.pick(MARKS + ["", " ", body + " # a comment", "# " + body]) + "\n")
    elif k == 5:
        lines[at] = d.pick(["\t", " ", "    ", "#", ";"]) + line if d.n(3) else body.strip() + end
    elif k == 6:
        lines[at] = body + d.pick([" ", "\t", "\r", " " + d.pick(MARKS), "", "\n"]) + end
    elif k == 7:
        lines[at:] = [body[: d.n(len(body) + 1)]] if d.n(2) else []
    else:
        lines[at] = other_words(body.split(" "), d, word) + end
    return "".join(lines)


def other_words(words, d, word):
    """The words of a line, one of them moved, left out, exchanged for another, quoted, or one more."""
    at, k = d.n(len(words)), d.n(6)
    if k == 0:
        to = d.n(len(words))
        words[at], words[to] = words[to], words[at]
    elif k == 1:
        del words[at]
    elif k == 2:
        words[at] = d.pick(MARKS)
    elif k == 3:
        words.insert(at, d.pick(MARKS + [word]))
    elif k == 4:
        words[at] = d.pick(QUOTES) % words[at]
    else:
        words[at] = word
    return " ".join(words)


FILES = Files()  # of the case that is under way
