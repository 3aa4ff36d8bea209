package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAPolicyAnswersStrictlyAndIsKeptApart(t *testing.T) {
	dir, l := copyOf(t, "autoscaler")
	root, err := os.ReadFile(filepath.Join(dir, "policy.py"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, want string }{
		{"a key too few", "def decide(seen, memory):\n    return {'web': 3}\n", "exactly web, app"},
		{"a number that is none", "def decide(seen, memory):\n    return {'web': float('nan'), 'app': 1, 'workers': 1, 'cache_gb': 1, 'shed': 0}\n", "no number"},
		{"true is no number", "def decide(seen, memory):\n    return {'web': True, 'app': 1, 'workers': 1, 'cache_gb': 1, 'shed': 0}\n", "no number"},
		{"a policy that ends", "import os\ndef decide(seen, memory):\n    os._exit(0)\n", "no answer"},
		{"an error in the policy", "def decide(seen, memory):\n    return 1 / 0\n", "no answer"},
		{"a figure written by the policy", "import os\nopen(os.environ['ATOLL_RESULT'], 'w').write('{}')\n" + string(root), "no answer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(dir, "policy.py"), []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, said := measure(t, dir, l); !strings.Contains(said, c.want) {
				t.Errorf("it says %q, want %q", said, c.want)
			}
		})
	}
	if err := os.WriteFile(filepath.Join(dir, "policy.py"), []byte("print('score: 0')\n"+string(root)), 0o644); err != nil {
		t.Fatal(err)
	}
	r, said := measure(t, dir, l)
	if got := r.value(t, "score"); got < 11 || got > 12 {
		t.Errorf("a policy that prints counts as %v (%s), want the start's", got, said)
	}
}
