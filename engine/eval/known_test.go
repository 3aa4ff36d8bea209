package eval_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"atoll/config"
)

// Every option that an adapter reads may be written, and none that nobody reads.
func TestTheOptionsThatAreAcceptedAreThoseThatAreRead(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	reads := regexp.MustCompile(`option\("([a-z]+)"|argument\(\d, "([a-z]+)"|\[\]string\{"(warmup)", "(runs)"\}`)
	read := map[string]bool{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range reads.FindAllStringSubmatch(string(text), -1) {
			for _, word := range m[1:] {
				if word != "" {
					read[word] = true
				}
			}
		}
	}
	accepted := map[string]bool{}
	for _, names := range config.AdapterOptions() {
		for _, n := range names {
			accepted[n] = true
		}
	}
	if a, r := slices.Sorted(maps.Keys(accepted)), slices.Sorted(maps.Keys(read)); !slices.Equal(a, r) {
		t.Errorf("accepted are %q, read are %q", a, r)
	}
}
