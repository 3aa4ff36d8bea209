package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

const jsShortened = `function shortened(text) {
  const short = new Map([['versus', 'vs.'], ['approximately', 'approx.']]);
  const of = (w) => (short.has(w) ? short.get(w) : w);
  const lines = text.split('\n');
  return lines.map((line, i) => (i === 0 || i === lines.length - 1 ? line : line.split(/([^a-z]+)/).map(of).join(''))).join('\n');
}`

const jsShortenedTest = `shortened('the quick brown fox, and the dog\nwent (over) it; and then it was so\nfor all of the days, it was\ntold of him');
  shortened('one\ntwo lines of text, no more\n');`

func TestTextsOfTheCodeStandAmongTheWordsOfLongTextsOfJavaScript(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	eachFunctionOfJavaScript(t, 300, []jsFunction{
		{"a word between blanks alone", jsShortened, jsShortenedTest, "line.split(/([^a-z]+)/).map(of).join('')", "line.split(' ').map(of).join(' ')", "index.shortened"},
		{"a condition the other way", jsShortened, jsShortenedTest, "short.has(w) ? short.get(w) : w", "!short.has(w) ? w : short.get(w)", ""},
	})
}
