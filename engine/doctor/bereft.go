package doctor

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"atoll/engine/kept"
	"atoll/store"
)

// ErrBereft: what belongs to experiments is there, and their database is not.
var ErrBereft = errors.New("the database of what is here was lost")

// Bereft returns [ErrBereft] where a state directory had a database that is gone, has no
// bytes or no tables: the database is the first that is made there, so whatever belongs to
// experiments had one. It writes nothing.
func Bereft(ctx context.Context, dir string) error {
	path := filepath.Join(dir, DatabaseName)
	if !store.Empty(ctx, path) {
		return nil
	}
	var left []string
	for _, of := range []struct{ what, parts string }{
		{"candidates in " + ObjectsName, ObjectsName + "/objects/[0-9a-f][0-9a-f]/*"},
		{"candidates in packs of " + ObjectsName, ObjectsName + "/objects/pack/*.pack"},
		{"refs of candidates in " + ObjectsName, ObjectsName + "/refs/heads/anchor/*"},
		{"copies of evaluators", EvaluatorName + "/*"},
		{"kept folds", kept.Folder + "/*"},
	} {
		if found, err := filepath.Glob(filepath.Join(literal(dir), of.parts)); err == nil && len(found) > 0 {
			left = append(left, of.what)
		}
	}
	if len(left) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s is missing or empty, and there are %s", ErrBereft, path, strings.Join(left, ", "))
}

// literal is a path as a pattern that matches nothing else.
func literal(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
