package e2e_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"atoll/config/suitetest"
)

// Experiments in strict order that are compared: ATOLL_STRICT_SEEDS and
// ATOLL_STRICT_JOBS ask for other numbers, ATOLL_STRICT_FROM for another first seed.
const (
	strictSeeds = 20
	strictJobs  = 300
)

// TestStrictOrderGivesOneResultHoweverBusyTheMachineIs runs the deceptive plant
// under four busy loops, each seed with several numbers of workers, and compares
// what came of it by hash.
func TestStrictOrderGivesOneResultHoweverBusyTheMachineIs(t *testing.T) {
	suitetest.Slow(t, "a hundred experiments under four busy loops")
	for range 4 {
		loop := command(t.TempDir(), "sh", "-c", "while :; do :; done")
		if err := loop.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = loop.Process.Kill(), loop.Wait() })
	}
	for seed := asked(t, "ATOLL_STRICT_FROM", 1); seed <= asked(t, "ATOLL_STRICT_SEEDS", strictSeeds); seed++ {
		var one string
		for _, workers := range []int{1, 2, 4, 8, 16} {
			began := time.Now()
			got, duplicates := strictRun(t, seed, workers, asked(t, "ATOLL_STRICT_JOBS", strictJobs))
			t.Logf("seed %d, %d workers: %s, %d duplicates, %v", seed, workers, got, duplicates, time.Since(began).Round(time.Second))
			if workers == 1 {
				one = got
			}
			if got != one {
				t.Errorf("seed %d: %d workers give %s, one gives %s", seed, workers, got, one)
			}
		}
	}
}

func asked(t *testing.T, key string, otherwise int) int {
	t.Helper()
	text := os.Getenv(key)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	return n
}

// strictRun runs the plant once and returns a hash of its candidates and of how
// its jobs ended.
func strictRun(t *testing.T, seed, workers, jobs int) (sum string, duplicates int) {
	t.Helper()
	l := &lab{t: t, dir: filepath.Join(t.TempDir(), "plant")}
	home := &lab{t: t, dir: t.TempDir()}
	home.atoll("demo", "deceptive", "--dir", l.dir, "--headless", "--max-jobs", strconv.Itoa(jobs),
		"--seed", strconv.Itoa(seed), "--workers", strconv.Itoa(workers), "--order", "strict")
	h := sha256.New()
	for _, part := range []struct {
		verb   string
		fields []string
	}{
		{"candidates", []string{"id", "commit", "objective", "status", "niche"}},
		{"jobs", []string{"id", "kind", "state", "candidate", "duplicate_of", "class", "reason"}},
	} {
		var rows []string
		for line := range strings.Lines(l.atoll(part.verb, "--json", "--limit", "100000")) {
			var row map[string]any
			if err := json.Unmarshal([]byte(line), &row); err != nil {
				t.Fatalf("%s: %v in %s", part.verb, err, line)
			}
			if row["state"] == "duplicate" {
				duplicates++
			}
			text := ""
			for _, f := range part.fields {
				text += fmt.Sprintf("%v ", row[f])
			}
			rows = append(rows, text)
		}
		slices.Sort(rows)
		_, _ = fmt.Fprintln(h, strings.Join(rows, "\n"))
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), duplicates
}
