package eval_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/engine/eval"
	"atoll/engine/eval/output"
	"atoll/engine/sandbox"
)

// A version manager puts a script on PATH that starts the real interpreter,
// which lies in a person's home.
func TestAnInterpreterBehindAShimIsFoundAndMounted(t *testing.T) {
	box, err := sandbox.New(t.Context(), sandbox.Options{Mode: sandbox.ModeAuto})
	if err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	home := t.TempDir()
	real, shim := filepath.Join(home, "versions", "9", "bin", "ruby"), filepath.Join(home, "shims", "ruby")
	for path, text := range map[string]string{
		real: "#!/bin/sh\ncase \"$1\" in\n-e) echo " + real + "; echo " + filepath.Dir(filepath.Dir(real)) + ";;\n*) echo value=42;;\nesac\n",
		shim: "#!/bin/sh\nexec " + real + " \"$@\"\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Dir(shim) + ":/usr/bin:/bin"
	t.Setenv("PATH", path)
	for name, command := range map[string][]string{"named by the stage": {"ruby", "x"}, "named in a script": {"sh", "-c", "ruby x"}} {
		t.Run(name, func(t *testing.T) {
			e, err := eval.New(t.Context(), box, eval.Options{
				Command: command, Output: output.OutputPairs, Objective: "value",
				LookupEnv: func(key string) (string, bool) { return path, key == "PATH" },
			})
			if err != nil {
				t.Fatal(err)
			}
			out, err := e.Run(t.Context(), eval.Request{Base: t.TempDir(), Trusted: t.TempDir(), Root: true})
			if err != nil || out.Objective != 42 {
				t.Errorf("the evaluator gives %v, %s %s (%v); want 42", out.Objective, out.Class, strings.TrimSpace(out.Reason), err)
			}
		})
	}
}

func TestAnInterpreterThatAScriptGetsAsAWordIsMounted(t *testing.T) {
	box, err := sandbox.New(t.Context(), sandbox.Options{Mode: sandbox.ModeAuto})
	if err != nil {
		t.Skipf("no sandbox on this machine: %v", err)
	}
	home := t.TempDir()
	python := filepath.Join(home, ".venv", "bin", "python3")
	if err := os.MkdirAll(filepath.Dir(python), 0o755); err != nil {
		t.Fatal(err)
	}
	text := "#!/bin/sh\ncase \"$1\" in\nx) echo value=42;;\n*) echo " + python + "; echo " + filepath.Dir(filepath.Dir(python)) + ";;\nesac\n"
	if err := os.WriteFile(python, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	e, err := eval.New(t.Context(), box, eval.Options{
		Command: []string{"sh", "-c", `exec "$0" x`, python}, Output: output.OutputPairs, Objective: "value",
		LookupEnv: func(key string) (string, bool) { return "/usr/bin:/bin", key == "PATH" },
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.Run(t.Context(), eval.Request{Base: t.TempDir(), Trusted: t.TempDir(), Root: true})
	if err != nil || out.Objective != 42 {
		t.Errorf("the evaluator gives %v, %s %s (%v); want 42", out.Objective, out.Class, strings.TrimSpace(out.Reason), err)
	}
}

// cutShort is a box whose search for programs is broken off from outside.
type cutShort struct {
	*sandbox.Box
	cancel func()
}

func (c cutShort) Interpreters(context.Context, ...string) ([]sandbox.Mount, []string) {
	c.cancel()
	return nil, []string{"/usr/bin"}
}

// Who breaks off a task whose evaluator is being made ready must not leave one behind
// that lacks the programs which were not looked for any more.
func TestAnEvaluatorWhoseProgramsWereNotAllLookedForIsNone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := eval.New(ctx, cutShort{cancel: cancel}, eval.Options{Command: []string{"python3", "x.py"}, Output: output.OutputPairs})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it is made: %v", err)
	}
}
