// Package jsload has node load the sources of a tree as the project's own tools do: without
// types, and found under the names that those tools take. Three nouns: the tree (tree.cjs, with
// tsconfig.cjs: what is a source, what a test, which file a name means), the tool that takes types
// away (typed.cjs: one that the project has installed, nothing is fetched or brought along), and
// the loader (loader.cjs), which has both serve what is required.
//
// The files belong to the working directory in which they are loaded. They run in the sandbox,
// with the rights of the code that they load; none of them says anything that is believed.
package jsload

import (
	"embed"
	"errors"
	"path"
	"strings"
)

// Files are the programs, which lie beside each other.
//
//go:embed *.cjs
var Files embed.FS

// Texts are the programs by their names.
func Texts() map[string]string {
	texts := map[string]string{}
	list, err := Files.ReadDir(".")
	for _, f := range list {
		text, failed := Files.ReadFile(f.Name())
		texts[f.Name()], err = string(text), errors.Join(err, failed)
	}
	if err != nil {
		panic(err) // they are part of this program
	}
	return texts
}

// Source reports a source of JavaScript or TypeScript, tests among them; what declares types
// alone and what packages bring along is none.
func Source(name string) bool {
	switch path.Ext(name) {
	case ".js", ".cjs", ".mjs":
	default:
		if !Typed(name) {
			return false
		}
	}
	return !strings.Contains("/"+name, "/node_modules/")
}

// Typed reports a source of TypeScript.
func Typed(name string) bool {
	ending := path.Ext(name)
	switch ending {
	case ".ts", ".mts", ".cts", ".tsx":
		return !strings.HasSuffix(strings.TrimSuffix(name, ending), ".d")
	}
	return false
}
