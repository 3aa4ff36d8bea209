"""Streams in memory as inputs: with another content, read as far.

Standard library only.
"""
import io

from atoll_guard_files import other_lines

STREAMS = (io.StringIO, io.BytesIO)


def is_stream(v):
    return type(v) in STREAMS and not v.closed


def other(v, vary):
    """A stream with another content: its lines in another way, or another text."""
    text, at = v.getvalue(), v.tell()
    if type(text) is str and vary.d.chance(3):
        content = other_lines(text, vary.d, vary.text())
    else:
        content = vary.other(text)
    out = type(v)(content)
    out.seek(at)
    return out
