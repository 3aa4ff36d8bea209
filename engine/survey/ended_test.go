package survey

import "testing"

func TestAProcessThatEndsByItselfIsToldWithItsLastWords(t *testing.T) {
	t.Parallel()
	const ended = "the process that makes the calls ended by itself; what it said is in its stderr"
	for name, c := range map[string]struct{ reason, stderr, want string }{
		"an exception of Python": {
			ended, "Traceback (most recent call last):\n  File \"<string>\", line 81, in main\n    import pkg\nModuleNotFoundError: No module named 'pkg'\n",
			"the process that makes the calls ended by itself; its last words: File \"<string>\", line 81, in main | import pkg | ModuleNotFoundError: No module named 'pkg'",
		},
		"what measure.cjs says behind it is no word of it": {
			"Failure: " + ended + " (measure.cjs:55)", "Error: no x\n\n/e/measure.cjs:55\n    if (done) throw new Failure('" + ended + "');\nFailure: x\n    at Worker.read (/e/measure.cjs:55:21)\n",
			"Failure: the process that makes the calls ended by itself; its last words: Error: no x",
		},
		"silence":                {ended, "\n", "the process that makes the calls ended by itself; it said nothing"},
		"another reason is kept": {"exit 1", "x\n", "exit 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := withStderr(c.reason, c.stderr); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
