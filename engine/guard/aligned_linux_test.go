package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

const jsHourOf = `function hourOf(way) {
  const ways = way.split(/[: ]/);
  return (text) => {
    let hour = NaN;
    let late = false;
    text.split(/[: ]/).forEach((part, i) => {
      if (ways[i] === '%I') hour = Number(part) % 12;
      if (ways[i] === '%p') late = part === 'PM';
    });
    return late ? hour + 12 : hour;
  };
}`

const jsHourOfTest = `const at = hourOf('%I:%M:%S %p');
  ['12:00:00 AM', '11:59:59 AM', '12:00:01 PM', '11:59:59 PM'].map(at);
  ['%I', '%M', '%S', '%p', '%I:%M', '%M:%S', '%I %p'].map((way) => hourOf(way)('07'));`

// hourOf reads an hour from a text as another one says.
const hourOf = `
import re


def hour_of(text, way):
    hour, late = None, False
    for part, name in zip(re.split("[: ]", text), re.split("[: ]", way)):
        if name == "%I":
            hour = int(part) % 12
        if name == "%p":
            late = part == "PM"
    return None if hour is None else hour + 12 if late else hour
`

const hourOfTest = `
import unittest

import kit


class Test(unittest.TestCase):
    def test_hours(self):
        self.assertEqual(kit.hour_of("11:59:59 PM", "%I:%M:%S %p"), 23)
        self.assertEqual(kit.hour_of("12:00:00 AM", "%I:%M:%S %p"), 0)
        self.assertEqual(kit.hour_of("07", "%M"), None)
`

func TestFieldsOfATextMoveTogetherWithThoseOfItsFormat(t *testing.T) {
	t.Parallel()
	t.Run("JavaScript", func(t *testing.T) {
		t.Parallel()
		suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
		eachFunctionOfJavaScript(t, 300, []jsFunction{
			{"a half of the day before the hour", jsHourOf, jsHourOfTest, "if (ways[i] === '%p') late = part === 'PM';", "if (ways[i] === '%p' && part === 'PM') hour += 12;", "index.hourOf"},
			{"the same in other words", jsHourOf, jsHourOfTest, "late = part === 'PM';", "late = !(part !== 'PM');", ""},
		})
	})
	t.Run("Python", func(t *testing.T) {
		t.Parallel()
		eachIsFound(t, 600, hourOf, hourOfTest, []edited{
			{"a half of the day before the hour", "        if name == \"%p\":\n            late = part == \"PM\"", "        if name == \"%p\" and hour is not None and part == \"PM\":\n            hour += 12", "kit.hour_of"},
			{"the same in other words", "late = part == \"PM\"", "late = not part != \"PM\"", ""},
		})
	})
}
