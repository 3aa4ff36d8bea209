package cli_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const evil = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`

func TestThePageInABrowserShowsHostileTextAsText(t *testing.T) {
	t.Parallel()
	b := browse(t)
	dir := finished(t)
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte(evil+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, dir, "reject", "c5", "--reason", evil)
	s := serving(t, dir)
	b.call("Page.setBypassCSP", map[string]any{"enabled": os.Getenv("ATOLL_AXE") != ""}, nil)
	for _, width := range []int{1280, 390} {
		b.size(width)
		b.dark(false)
		for _, view := range []string{"overview", "candidates", "jobs", "review", "lineage", "yields", "failures", "notes", "log", "settings", "c1", "c5", "j3"} {
			b.open(s.url + "#" + view)
			b.holds(fmt.Sprintf("location.hash === '#%s' && seen === location.hash && !busy && main.innerText.length > 0", view))
			b.fits(view, width)
			var bad, text string
			b.run("[...main.querySelectorAll('img, script, iframe, .bad')].map(e => e.outerHTML).join()", &bad)
			b.run("document.title + '\\n' + main.textContent", &text)
			if bad != "" && !strings.Contains(bad, `class="bad"`) || strings.HasPrefix(text, "owned") {
				t.Errorf("%s at %d: %s in %.200s", view, width, bad, text)
			}
			if (view == "log" || view == "c5") && !strings.Contains(text, evil) {
				t.Errorf("%s does not show the text as it is:\n%s", view, text)
			}
			b.accessible(fmt.Sprint(view, " at ", width))
			b.clean(s.url)
			switch view {
			case "overview":
				b.picture(fmt.Sprintf("page/overview-%d.png", width), true)
			case "c1":
				b.picture(fmt.Sprintf("page/candidate-%d.png", width), true)
			}
		}
	}
	b.size(1280)
	b.dark(true)
	b.open(s.url + "#overview")
	b.holds("seen === '#overview' && !busy")
	b.accessible("in the dark")
	b.clean(s.url)
	b.picture("page/dark-1280.png", true)
}

func TestAWordOfAnyLengthMakesNoPageWider(t *testing.T) {
	t.Parallel()
	b := browse(t)
	long := strings.Repeat("abcdefghij", 30)
	dir := plot(t, "budget: {jobs: 3}")
	must(t, dir, "run", "--headless")
	if err := os.WriteFile(filepath.Join(dir, "value.txt"), []byte("7\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "commit", "-q", "-a", "-m", long)
	must(t, dir, "inject", "HEAD")
	must(t, dir, "note", long)
	must(t, dir, "run", "--headless", "--max-jobs", "4")
	s := serving(t, dir)
	best := fmt.Sprintf("c%v", s.field("api/v1/status", "best.id"))
	if _, text := s.get("api/v1/candidates/"+best, ""); !strings.Contains(text, long) {
		t.Fatalf("the best is not what was injected: %s", text)
	}
	b.size(390)
	for _, view := range []string{"overview", "candidates", "jobs", "review", "lineage", "yields", "failures", "notes", "log", "settings", best, "j" + best[1:], "n6"} {
		b.open(s.url + "#" + view)
		b.holds(fmt.Sprintf("location.hash === '#%s' && seen === location.hash && !busy && main.innerText.length > 0", view))
		b.fits(view, 390)
	}
}

// brokenWords are the short words of tables that stand on more than one line.
const brokenWords = `[...document.querySelectorAll('th, td:not(.any)')].flatMap(cell => {
	const found = [], walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
	while (walk.nextNode()) for (const word of walk.currentNode.data.matchAll(/\S+/g)) {
		const range = document.createRange()
		range.setStart(walk.currentNode, word.index)
		range.setEnd(walk.currentNode, word.index + word[0].length)
		if (new Set([...range.getClientRects()].map(r => r.top)).size > 1) found.push(word[0])
	}
	return found
}).join()`

func TestTheReportInABrowserReadsOnScreenTelephoneAndPaper(t *testing.T) {
	t.Parallel()
	b := browse(t)
	dir := finished(t)
	file := filepath.Join(t.TempDir(), "report.html")
	must(t, dir, "reject", "c5", "--reason", evil)
	must(t, dir, "report", "--html", file)
	url := "file://" + file
	for _, width := range []int{1280, 390} {
		b.size(width)
		for _, dark := range []bool{false, true} {
			b.dark(dark)
			b.open(url)
			b.fits("the report", width)
			var broken string
			b.run(brokenWords, &broken)
			if broken != "" {
				t.Errorf("the report at %d breaks words: %s", width, broken)
			}
			b.accessible(fmt.Sprint("the report at ", width, " dark ", dark))
			b.clean(url)
			if dark == (width < 600) {
				b.picture(fmt.Sprintf("report-%d.png", width), false)
			}
		}
	}
	var title string
	b.run("document.title", &title)
	var paper struct{ Data string }
	b.call("Page.printToPDF", map[string]any{"printBackground": false}, &paper)
	pdf, err := base64.StdEncoding.DecodeString(paper.Data)
	if err != nil || title == "owned" || !strings.HasPrefix(string(pdf), "%PDF-") || len(pdf) < 10_000 {
		t.Errorf("title %q, %d bytes on paper (%v)", title, len(pdf), err)
	}
}
