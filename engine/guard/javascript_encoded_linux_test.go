package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

const jsDecoded = `function decoded(text, options = {}) {
  const out = {};
  for (const part of (options.question ? text.replace(/^\?/, '') : text).split(options.mark || '&')) {
    const at = part.indexOf('=');
    let value = at < 0 ? '' : plain(part.slice(at + 1), options.charset);
    if (value && options.entities && options.charset === 'latin') value = entities(value);
    if (options.comma && value.includes(',')) value = value.split(',');
    out[at < 0 ? part : part.slice(0, at)] = value;
  }
  return out;
}
const entities = (text) => text.replace(/&#(\d+);/g, (_, n) => String.fromCharCode(Number(n)));
const plain = (text, charset) => {
  const spaced = text.replace(/\+/g, ' ');
  if (charset === 'latin') return spaced.replace(/%[0-9a-f]{2}/gi, unescape);
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
};`

const jsDecodedTest = `decoded('a=b&c=%C3%A9');
  decoded('a=1,2', { comma: true });
  decoded('?a=b', { question: true });
  decoded('a=b;c', { mark: ';' });
  decoded('a=%E9+x', { charset: 'latin' });
  decoded('a=%26b', { charset: 'utf-8' });`

const jsDecodedByTests = jsDecodedTest + `
  decoded('foo=%26%239786%3B', { charset: 'latin', entities: true });`

// What a code decodes before it looks for a pattern is given encoded, with the options that lead there.
func TestTextsOfPatternsOfJavaScriptAreGivenEncoded(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	eachFunctionOfJavaScript(t, 300, []jsFunction{
		{"a character of two units, as a number", jsDecoded, jsDecodedByTests, `String.fromCharCode(`, `String.fromCodePoint(`, "index.decoded"},
		{"and where no test gives the options together", jsDecoded, jsDecodedTest, `String.fromCharCode(`, `String.fromCodePoint(`, "index.decoded"},
		{"a number is read to its second digit", jsDecoded, jsDecodedTest, `/&#(\d+);/g`, `/&#(\d\d?);/g`, "index.decoded"},
	})
	eachFunctionOfJavaScript(t, 300, []jsFunction{
		{"a number is read in another way", jsDecoded, jsDecodedByTests, `String.fromCharCode(Number(n))`, `String.fromCharCode(parseInt(n, 10))`, ""},
		{"a pattern names its digits", jsDecoded, jsDecodedTest, `/&#(\d+);/g`, `/&#([0-9]+);/g`, ""},
	})
}
