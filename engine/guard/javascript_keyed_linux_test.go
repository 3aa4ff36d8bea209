package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

const jsWords = `function words(v) {
  const key = typeof v + ':' + v;
  if (!known.has(key)) known.set(key, JSON.stringify(v));
  return known.get(key);
}
const known = new Map();`

const jsJoined = `function joined(list) {
  const key = JSON.stringify(list);
  if (key in known) return known[key];
  return (known[key] = list.map((x) => '<' + x + '>').join(''));
}
const known = Object.create(null);`

const jsMarks = `function marks(...args) {
  return new Marks(...args);
}
class Marks {
  #known = new Map();
  of(name) {
    if (!this.#known.has(name)) this.#known.set(name, JSON.stringify(name) + '!');
    return this.#known.get(name);
  }
}`

// A cache that was there gets another key: values that are not equal and have one text are asked behind each other.
func TestValuesOfOneTextAreAskedBehindEachOtherInJavaScript(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"a key of the text alone", jsWords, "words(1);\n  words('a');", "typeof v + ':' + v", "String(v)", "index.words"},
		{"a key of items that are joined", jsJoined, "joined(['a', 'b']);\n  joined(['cd']);", "JSON.stringify(list)", "list.join(',')", "index.joined"},
		{"the table of an object by the text", jsMarks, "marks().of('a');\n  const m = marks();\n  m.of(7);\n  m.of(12);", "this.#known.has(name)) this.#known.set(name, JSON.stringify(name) + '!');\n    return this.#known.get(name);", "this.#known.has(`${name}`)) this.#known.set(`${name}`, JSON.stringify(name) + '!');\n    return this.#known.get(`${name}`);", "index.marks"},
	})
	eachFunctionOfJavaScript(t, 200, []jsFunction{
		{"a key with the type behind the text", jsWords, "words(1);\n  words('a');", "typeof v + ':' + v", "v + ':' + typeof v", ""},
		{"a key of the list in a list", jsJoined, "joined(['a', 'b']);\n  joined(['cd']);", "JSON.stringify(list)", "JSON.stringify([list])", ""},
	})
}
