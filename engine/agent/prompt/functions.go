package prompt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"atoll/engine/agent"
	"atoll/engine/agent/offline/language"
	"atoll/store/record"
)

// maxFunction is the longest function that is shown whole, in bytes.
const maxFunction = 24 << 10

// ChangedFunctions returns, for each function that a change touches, its whole
// text as it is afterwards, by path and place. What lies in no function, and
// what is gone, is left to the diff. before and after may lack any of the paths.
func ChangedFunctions(ctx context.Context, before, after agent.Tree, paths []string) ([]FileText, error) {
	was, is := filesOf(before), filesOf(after)
	var out []FileText
	for _, p := range paths {
		f, there := is[p]
		lang := language.Of(p)
		if !there || lang == nil || f.Size > againstBytes || !plainFile(f.Mode) {
			continue
		}
		text, ok, err := readText(ctx, after, p)
		if err != nil {
			return nil, fmt.Errorf("read %q for the prompt: %w", p, err)
		}
		old := ""
		if o, there := was[p]; ok && there && o.Size <= againstBytes && plainFile(o.Mode) {
			if old, ok, err = readText(ctx, before, p); err != nil {
				return nil, fmt.Errorf("read %q for the prompt: %w", p, err)
			}
		}
		if ok {
			out = append(out, changedFunctions(f, lang, old, text)...)
		}
	}
	return out, errors.Join(ctx.Err(), context.Cause(ctx))
}

func filesOf(t agent.Tree) map[string]record.File {
	out := map[string]record.File{}
	for _, f := range t.Files() {
		out[f.Path] = f
	}
	return out
}

// changedFunctions finds the functions of a source around what differs: of each
// place the innermost one that holds all of it, else those that it cuts.
func changedFunctions(f record.File, lang *language.Language, old, text string) []FileText {
	data := []byte(text)
	units := language.Functions(&language.Source{File: f, Data: data, Lang: lang, Toks: language.Lex(data, lang), Hi: len(data)})
	chosen := map[int]bool{}
	shift := 0
	for _, e := range udiff.Lines(old, text) {
		lo := e.Start + shift
		hi := lo + len(e.New)
		shift += len(e.New) - (e.End - e.Start)
		inner := -1
		for i, u := range units {
			if lo == hi && (u.Start == lo || u.End == lo) {
				continue // what went stood beside it
			}
			if u.Start <= lo && hi <= u.End && (inner < 0 || u.End-u.Start <= units[inner].End-units[inner].Start) {
				inner = i
			}
		}
		if inner >= 0 {
			chosen[inner] = true
			continue
		}
		for i, u := range units {
			if u.Start < hi && lo < u.End {
				chosen[i] = true
			}
		}
	}
	var out []FileText
	end := 0
	for i, u := range units {
		lo := language.LineStart(data, u.Start)
		if !chosen[i] || u.End <= end || u.End-lo > maxFunction {
			continue
		}
		end = u.End
		out = append(out, FileText{Path: fmt.Sprintf("%s, %s from line %d", f.Path, u.Full, 1+strings.Count(text[:lo], "\n")), Text: text[lo:language.LineEnd(data, u.End-1)]})
	}
	return slices.Clip(out)
}
