"""Words of names in programs."""


def kind(c):
    if c == "":
        return "end"
    if c == " " or c == "_" or c == "-" or c == "." or c == "/" or c == ":":
        return "gap"
    if c >= "a" and c <= "z":
        return "low"
    if c >= "A" and c <= "Z":
        return "cap"
    if c >= "0" and c <= "9":
        return "digit"
    if c == "," or c == ";" or c == "!" or c == "?":
        return "stop"
    return "other"
