package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// The two directions of an objective.
const (
	Maximize = "maximize"
	Minimize = "minimize"
)

// DirectionOf says which way a metric is better, judged by its unit and the
// words of its name: times, sizes, errors and costs fall, scores and rates
// rise. sure is false when nothing in them tells; direction is then Maximize.
func DirectionOf(name, unit string) (direction string, sure bool) {
	if d := unitDirection(unit); d != "" {
		return d, true
	}
	words := wordsOf(name)
	if i := slices.Index(words, "per"); i > 0 && i+1 < len(words) {
		if slices.Contains([]string{"s", "sec", "second", "seconds", "min", "minute", "hour"}, words[i+1]) {
			return Maximize, true
		}
		words = words[:i]
	}
	if strings.HasSuffix(strings.ToLower(name), "/s") {
		return Maximize, true
	}
	for _, w := range slices.Backward(words) { // the last word that tells is the noun
		switch {
		case slices.Contains(falling(), w):
			return Minimize, true
		case slices.Contains(rising(), w):
			return Maximize, true
		}
	}
	return Maximize, false
}

// AgainstName says that a direction is not the one that the name or the unit of a metric
// tells, and what to change; "" where it is, or nothing tells.
func AgainstName(direction, name, unit string) string {
	told, sure := DirectionOf(name, unit)
	if !sure || direction == told {
		return ""
	}
	of, better := "the name "+strconv.Quote(name), "more"
	if unitDirection(unit) != "" {
		of = fmt.Sprintf("the unit %q of %q", unit, name)
	}
	if told == Minimize {
		better = "less"
	}
	return fmt.Sprintf("%s says that %s is better, but the search is to %s it: write `direction: %s`, unless that misleads", of, better, direction, told)
}

func unitDirection(unit string) string {
	u := strings.ToLower(strings.TrimSpace(unit))
	switch {
	case u == "":
	case strings.HasSuffix(u, "/s"), strings.HasSuffix(u, "/sec"), u == "fps", u == "qps", u == "rps":
		return Maximize
	case slices.Contains([]string{"s", "sec", "secs", "second", "seconds", "ms", "us", "µs", "μs", "ns", "min", "minutes", "b", "byte", "bytes", "kb", "kib", "mb", "mib", "gb", "gib", "j", "usd"}, u),
		strings.HasSuffix(u, "/op"), strings.HasSuffix(u, "/iter"):
		return Minimize
	}
	return ""
}

// TimeLike reports whether a metric is a duration or a rate over time, which
// varies with the machine it is measured on.
func TimeLike(name, unit string) bool {
	u := strings.ToLower(unit)
	if strings.HasSuffix(u, "/s") || u == "ns/op" || slices.Contains([]string{"s", "sec", "secs", "second", "seconds", "ms", "us", "µs", "μs", "ns", "fps", "qps", "rps"}, u) {
		return true
	}
	for _, w := range wordsOf(name) {
		if slices.Contains([]string{"time", "times", "latency", "duration", "elapsed", "runtime", "wall", "seconds", "secs", "sec", "s", "ms", "us", "ns", "millis", "micros", "nanos", "throughput", "ops", "qps", "rps", "fps", "speed", "speedup"}, w) {
			return true
		}
	}
	return false
}

func falling() []string {
	return []string{
		"time", "times", "latency", "duration", "elapsed", "runtime", "wall", "seconds", "secs", "sec", "ms", "us", "ns", "millis", "micros", "nanos",
		"error", "errors", "err", "loss", "cost", "costs", "mae", "mse", "rmse", "mape", "wer", "cer", "ppl", "perplexity", "regret", "penalty",
		"size", "bytes", "kb", "mb", "kib", "mib", "memory", "mem", "rss", "alloc", "allocs", "allocations", "length", "distance",
		"misses", "miss", "failures", "failed", "conflicts", "violations", "collisions", "crossings", "evictions", "waste", "excess", "overhead", "gap", "makespan",
		"swaps", "comparisons", "moves", "cycles", "instructions", "energy",
	}
}

func rising() []string {
	return []string{
		"score", "scores", "accuracy", "acc", "f1", "auc", "precision", "recall", "bleu", "rouge", "r2", "map", "ndcg",
		"throughput", "ops", "qps", "rps", "fps", "speedup", "speed", "reward", "return", "fitness", "profit", "revenue", "gain", "utility",
		"passed", "pass", "hits", "hit", "correct", "success", "successes", "solved", "wins", "win", "quality", "coverage", "utilization", "utilisation", "similarity",
	}
}

// wordsOf splits "timeMs", "time_ms" and "Time per op" into lower-case words.
func wordsOf(name string) []string {
	var words []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			words = append(words, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	lower := false
	for _, r := range name {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		if !letter || unicode.IsUpper(r) && lower {
			end()
		}
		if letter {
			word.WriteRune(r)
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
	}
	end()
	return words
}
