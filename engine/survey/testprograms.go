package survey

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// testProgram finds programs that test, by what make calls them.
var testProgram = regexp.MustCompile(`(?i)^(?:[\w-]*[_-]|unit|run|all)?tests?(?:[_-][\w-]*)?$`)

// testPrograms makes a stage of the first program that make builds under a name that says that it tests, if it ends
// well. It reports whether there is one, and adds what does not serve to failed.
func (s *scripts) testPrograms(ctx context.Context, failed *[]string) (bool, error) {
	tried := 0
	for _, target := range s.Lab.makeTargets() {
		if base := path.Base(target); !testProgram.MatchString(base) || noTests.MatchString(base) || slices.Contains(s.Lab.Files, target) || tried == mostScripts {
			continue
		}
		tried++
		why, err := s.tryScript(ctx, after("make -s "+inShell(target), []string{"./" + target}))
		if err != nil {
			return false, err
		}
		if why != "" {
			*failed = append(*failed, fmt.Sprintf("./%s, which make builds (%s)", target, why))
			continue
		}
		for _, f := range s.testsOpened {
			if base := path.Base(f); testProgram.MatchString(strings.TrimSuffix(base, path.Ext(base))) {
				s.protectFile(f)
			}
		}
		return true, nil
	}
	return false, nil
}

// builtBefore are the line of shell that builds what a command runs, and the rest of it; "" where there is none.
func builtBefore(command []string) (string, []string) {
	if len(command) > 3 && command[0] == "sh" && command[1] == "-c" {
		if line, ok := strings.CutSuffix(command[2], toStderr+andRun); ok {
			return line, command[3:]
		}
	}
	return "", command
}
