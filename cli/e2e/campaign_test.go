package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"atoll/config/suitetest"
)

// TestACampaignIsSeenFromItsFirstTaskToItsEnd watches the demo on a terminal, and
// answers what it proposes.
func TestACampaignIsSeenFromItsFirstTaskToItsEnd(t *testing.T) {
	t.Parallel()
	sizes := [][2]int{{80, 24}, {120, 36}}
	for _, size := range sizes[:suitetest.Pick(1, 2, 2)] {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			l := &lab{t: t, dir: t.TempDir()}
			plant := filepath.Join(l.dir, "plant")
			c := start(t, l, nil, size[0], size[1], "campaign", "demo", "--dir", plant, "--set", "workers=1")
			c.wait("t2    running  Find better parameters")
			c.wait("ended: no task is ready")
			c.wait("a answer proposals")
			c.press("a")
			c.wait("read the proposal")
			c.wait("drop t4")
			c.press("a")
			c.wait("answered")
			c.press("tab")
			c.wait("t4    dropped")
			if !strings.Contains(c.screen(), "ended: no task is ready") {
				t.Errorf("the end is not told any more:\n%s", c.screen())
			}
			c.press("down")
			c.press("enter")
			c.wait("╭ t2 Find better parameters")
			c.wait("gain >= 1%: holds")
			c.press("esc")
			c.wait("╭ Backlog")
			c.press("q")
			if code := c.end(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			c.restored()
			if _, err := os.Stat(filepath.Join(plant, "CAMPAIGN.md")); err == nil {
				t.Error("the work tree was touched")
			}
		})
	}
}
