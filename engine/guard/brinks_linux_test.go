package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

// gauges answers by thresholds that no comparison holds: they follow from divisions.
const gauges = `
def age(seconds):
    hours = int(seconds / 3600 + 0.5)
    if seconds < 3600:
        return "minutes"
    if hours < 48:
        return "%d hours" % hours
    return "%d years" % (int(seconds / 3600) // 24 // 365)


def room(text):
    number, unit = text.split()
    return "%d%s" % (int(number) * 3 // 500000, unit)


def late(stamp):
    return stamp[:8].isdigit() and len(stamp) == 8 and int(stamp[4:6]) > 73
`

const testGauges = `
import unittest

from kit import age, late, room


class Test(unittest.TestCase):
    def test(self):
        self.assertEqual(age(7200), "2 hours")
        self.assertEqual(room("12 kB"), "0kB")
        self.assertFalse(late("19970902"))
`

func TestPythonGuardAsksAtTheNumbersWhereAnAnswerChanges(t *testing.T) {
	t.Parallel()
	eachIsFound(t, 600, gauges, testGauges, []edited{
		{"years of rounded hours", `(int(seconds / 3600) // 24`, `(hours // 24`, "kit.age"},
		{"a number of two digits within a longer run", `> 73`, `> 74`, "kit.late"},
		{"a number in a text", `int(number) * 3 // 500000`, `(int(number) * 3 + 4) // 500000`, "kit.room"},
	})
}

func TestJavaScriptGuardAsksAtTheNumbersWhereAnAnswerChanges(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript modules; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for them")
	eachFunctionOfJavaScript(t, 2400, []jsFunction{
		{"years of rounded hours", `function age(seconds) {
  const hours = Math.round(seconds / 3600);
  if (seconds < 3600) return 'minutes';
  if (hours < 48) return hours + ' hours';
  return Math.floor(Math.floor(seconds / 3600) / 24 / 365) + ' years';
}`, `age(7200);`, `Math.floor(Math.floor(seconds / 3600) / 24`, `Math.floor(hours / 24`, "index.age"},
		{"a number in a text", `function room(text) {
  const [number, unit] = text.split(' ');
  return Math.floor((number * 3) / 500000) + unit;
}`, `room('12 kB');`, `(number * 3) / 500000`, `(number * 3 + 4) / 500000`, "index.room"},
	})
}
