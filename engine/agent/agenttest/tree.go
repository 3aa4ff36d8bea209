// Package agenttest holds what tests of agents share.
//
// Its noun is [Tree], a tree of files in memory. It is for tests only.
package agenttest

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"atoll/store/record"
)

// Tree is a tree of regular files in memory: contents by path.
type Tree map[string]string

// Files lists the files, sorted by path.
func (t Tree) Files() []record.File {
	var out []record.File
	for _, p := range slices.Sorted(maps.Keys(t)) {
		out = append(out, record.File{Path: p, Mode: record.Regular, Size: int64(len(t[p]))})
	}
	return out
}

// Read returns the content of a file. The error is [fs.ErrNotExist].
func (t Tree) Read(_ context.Context, path string) ([]byte, error) {
	s, ok := t[path]
	if !ok {
		return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	return []byte(s), nil
}
