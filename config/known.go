package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// AdapterOptions are the names that evaluator.adapter_options may have, by adapter.
func AdapterOptions() map[string][]string {
	return map[string][]string{
		"openevolve": {"bundle", "evaluator", "program", "python", "thresholds"},
		"loreley":    {"paths", "plugin", "python"},
		"shinka":     {"program", "python", "script"},
		"gobench":    {"bench", "clock", "count", "layouts", "packages", "rounds"},
		"hyperfine":  {"launcher", "runs", "warmup"},
		"gotest":     {"packages"},
		"pytest":     {"python"},
		"plugin":     nil,
	}
}

// ColourNames are the names that console.colours may have.
func ColourNames() []string {
	return []string{"accent", "bad", "border", "good", "ident", "label", "warn"}
}

// adapterOptions refuses options that no adapter reads.
func (k *checker) adapterOptions(e Evaluator) {
	const key = "evaluator.adapter_options"
	if len(e.AdapterOptions) > 0 && e.Adapter == "" {
		k.bad(key, "options of an adapter, and evaluator.adapter is empty: name the adapter, or take them out")
		return
	}
	known := AdapterOptions()[e.Adapter]
	for _, name := range slices.Sorted(maps.Keys(e.AdapterOptions)) {
		switch {
		case slices.Contains(known, name):
		case len(known) == 0:
			k.bad(key+"."+name, "the adapter %s has no options", e.Adapter)
		default:
			k.bad(key+"."+name, "no such option of the adapter %s%s", e.Adapter, amongst(name, known))
		}
	}
}

var hexColour = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

// console refuses names that the console does not know.
func (k *checker) console(c Console) {
	for _, list := range []struct {
		key           string
		values, known []string
	}{
		{"console.notify", c.Notify, []string{"bell", "osc9", "osc777"}},
		{"console.news", c.News, []string{"best", "review", "pause", "end"}},
	} {
		for _, v := range list.values {
			if !slices.Contains(list.known, v) {
				k.bad(list.key, "%q is none of %s%s", v, strings.Join(list.known, ", "), Meant(v, list.known))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Colours)) {
		if !slices.Contains(ColourNames(), name) {
			k.bad("console.colours."+name, "no such colour%s", amongst(name, ColourNames()))
		} else if !hexColour.MatchString(c.Colours[name]) {
			k.bad("console.colours."+name, "%q is no colour: write it as \"#rrggbb\", in quotes", c.Colours[name])
		}
	}
}

// amongst says which of the names was probably meant, or all of them.
func amongst(word string, names []string) string {
	if hint := Meant(word, names); hint != "" {
		return hint
	}
	return fmt.Sprintf("; here are %s", strings.Join(names, ", "))
}
