package boot

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
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

// A program that starts itself by a name of boot and has no boot linked would start
// itself again and again. Who says a name by the constants links it; nobody may
// spell one out, and who starts sandboxes has boot among what it depends on.
func TestWhoeverStartsANameOfBootLinksBoot(t *testing.T) {
	const module = "../../.."
	seen := 0
	err := filepath.WalkDir(module, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen++
		for _, name := range []string{InitName, StarterName} {
			if strings.Contains(string(text), `"`+name) && filepath.Base(path) != "names.go" {
				t.Errorf("%s spells out %q: say it by the constant of this package, which links it", path, name)
			}
		}
		return nil
	})
	if err != nil || seen < 500 {
		t.Fatalf("read %d sources of the program: %v", seen, err)
	}
	for _, arch := range []string{"amd64", "arm64"} {
		cmd := exec.Command("go", "list", "-deps", "atoll/engine/sandbox")
		cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("list the dependencies: %v", err)
		}
		if !strings.Contains("\n"+string(out), "\natoll/engine/sandbox/boot\n") {
			t.Errorf("on %s a sandbox starts its first process, and does not link it", arch)
		}
	}
}
