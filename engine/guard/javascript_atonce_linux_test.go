package guard_test

import (
	"testing"

	"atoll/config/suitetest"
)

const jsBounded = `function bounded(most) {
  let busy = 0;
  const waiting = [];
  const next = () => {
    while (busy < most && waiting.length > 0) {
      busy++;
      const { work, done, fail } = waiting.shift();
      Promise.resolve().then(() => work()).then(done, fail).then(() => {
        busy--;
        next();
      });
    }
  };
  const run = (work) =>
    new Promise((done, fail) => {
      waiting.push({ work, done, fail });
      next();
    });
  return { run };
}`

// What bounds or queues calls shows where one is made while others are under way.
func TestJavaScriptCallsAreMadeWhileOthersAreUnderWay(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "compares JavaScript code; TestChangesThatPassTheTestsOfJavaScriptFunctionsAreFound stands for it")
	const test = `const { run } = bounded(1);
  await run(async () => 1);
  await Promise.all([run(async () => 2), run(async () => 3)]);
  await bounded(2).run(async () => 1);`
	eachFunctionOfJavaScript(t, 100, []jsFunction{
		{"what comes last is served first", jsBounded, test, `waiting.shift()`, `waiting.pop()`, "index.bounded"},
	})
	eachFunctionOfJavaScript(t, 100, []jsFunction{
		{"what is done next is told in another way", jsBounded, test, `Promise.resolve().then(() => work()).then(done, fail).then(() => {
        busy--;
        next();
      });`, `(async () => {
        try {
          done(await work());
        } catch (e) {
          fail(e);
        }
        busy--;
        next();
      })();`, ""},
	})
}
