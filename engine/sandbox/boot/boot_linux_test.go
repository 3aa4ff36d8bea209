package boot

import (
	"os/exec"
	"strings"
	"testing"
)

func TestOnlyTheStandardLibraryIsLinked(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatalf("list the dependencies: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		path := strings.TrimSpace(line)
		heavy := path == "fmt" || path == "net" || path == "reflect" || path == "encoding/json" || path == "regexp"
		if strings.Contains(strings.SplitN(path, "/", 2)[0], ".") || heavy {
			t.Errorf("the first process depends on %s", path)
		}
	}
}
