package cli_test

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestTheArchiveAsATableHasTheColumnsOfPyribsAndEveryElite(t *testing.T) {
	t.Parallel()
	dir := finished(t)
	file := filepath.Join(t.TempDir(), "archive.csv")
	must(t, dir, "export", file)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	if want := []string{"solution", "objective", "measures_0", "measures_1", "index", "candidate"}; !slices.Equal(rows[0][:len(want)], want) {
		t.Errorf("columns %q", rows[0])
	}
	type niche struct {
		Index     int
		Commit    string
		Objective float64
	}
	var niches []niche
	for line := range strings.Lines(must(t, dir, "niches", "--json")) {
		var n niche
		if err := json.Unmarshal([]byte(line), &n); err != nil {
			t.Fatal(err)
		}
		niches = append(niches, n)
	}
	if len(niches) != len(rows)-1 {
		t.Fatalf("%d niches, %d rows", len(niches), len(rows)-1)
	}
	for i, row := range rows[1:] {
		value, err := strconv.ParseFloat(row[1], 64)
		if n := niches[i]; err != nil || row[0] != n.Commit || row[4] != strconv.Itoa(n.Index) || value != n.Objective {
			t.Errorf("row %q, niche %+v", row, n)
		}
		git(t, filepath.Join(dir, ".git/atoll/store.git"), "cat-file", "-e", row[0]+"^{tree}")
	}
	var list []map[string]any
	if err := json.Unmarshal([]byte(must(t, dir, "--json", "export", "-")), &list); err != nil || len(list) != len(niches) || list[0]["solution"] != niches[0].Commit {
		t.Errorf("JSON %v, %v", list, err)
	}
	if c := atoll(t, dir, "export", file); c.code == 0 || !strings.Contains(c.err, "is there already") {
		t.Errorf("a file is replaced: %d %s", c.code, c.err)
	}
	if c := atoll(t, dir, "export", "archive.xls"); c.code != 2 {
		t.Errorf("another form: %d %s", c.code, c.err)
	}
}
