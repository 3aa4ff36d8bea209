// Command console links what the real program links, and does nothing: the test
// of package boot measures how much of its start a sandbox pays for.
package main

import (
	"fmt"

	_ "charm.land/bubbletea/v2"
	_ "charm.land/lipgloss/v2"
	_ "github.com/alecthomas/chroma/v2/lexers"

	"atoll/engine/sandbox"
)

func main() { fmt.Println(sandbox.TreeDir) }
