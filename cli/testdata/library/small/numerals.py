"""Small numbers in words."""


def spell(n):
    if n == 0:
        return "no"
    elif n == 1:
        return "one"
    elif n == 2:
        return "two"
    elif n == 3:
        return "three"
    elif n == 4:
        return "four"
    elif n == 5:
        return "five"
    elif n == 6:
        return "six"
    elif n == 7:
        return "seven"
    elif n == 8:
        return "eight"
    elif n == 9:
        return "nine"
    elif n == 10:
        return "ten"
    elif n == 11:
        return "eleven"
    elif n == 12:
        return "twelve"
    elif n < 0 and n > -100:
        return "less than none"
    elif n >= 13 and n < 100:
        return "many"
    elif n >= 100:
        return "countless"
    return "unknown"
