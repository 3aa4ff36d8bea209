package eval

import (
	"context"
	"errors"
	"strings"

	"atoll/engine/eval/output"
	"atoll/engine/sandbox"
)

// prepared says which interpreter runs of this command may be copies of, nil for none. Beside
// the script's own imports those of an evaluator are loaded that an adapter's script is
// given as a file.
func (e *Evaluator) prepared(args []string) *sandbox.Prepared {
	if e.o.Warm != Warm && e.o.Warm != WarmAuto {
		return nil
	}
	p := &sandbox.Prepared{All: e.o.Warm == Warm}
	seen := false // the script itself
	for _, word := range args[1:] {
		switch {
		case !strings.HasSuffix(word, ".py"):
		case !seen:
			seen = true
		case strings.HasPrefix(word, sandbox.EvaluatorDir+"/"):
			p.Files = append(p.Files, word)
		}
	}
	return p
}

// The values of Options.Warm that mean something.
const (
	Warm     = "on"
	WarmAuto = "auto"
)

// Prepare has the interpreters loaded that runs are to be copies of, one for each stage. It
// returns, for each stage in order, its name and why its runs are started all the same, ""
// where they are copies. It returns nothing where no warm runs are asked for, and with
// WarmAuto nothing of a stage whose command no copy can stand in for.
func (e *Evaluator) Prepare(ctx context.Context) (stages, why []string) {
	if e.o.Warm != Warm && e.o.Warm != WarmAuto {
		return nil, nil
	}
	box, ok := e.box.(interface {
		Prepare(ctx context.Context, s sandbox.Spec) error
	})
	for _, st := range e.stages {
		err := errors.New("this sandbox prepares no interpreters")
		if ok {
			r := run{e: e}
			var s sandbox.Spec
			if s, err = r.spec(st, "", nil, candidate); err == nil {
				err = box.Prepare(ctx, s)
			}
		}
		if e.o.Warm == WarmAuto && (!ok || errors.Is(err, sandbox.ErrStarted)) {
			continue
		}
		text := ""
		if err != nil {
			text = output.OneLine(err.Error(), 300)
		}
		stages, why = append(stages, st.Name), append(why, text)
	}
	return stages, why
}
