package cli_test

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"atoll/config/suitetest"
)

func TestAsParquetTheArchiveSaysWhatItSaysAsCSV(t *testing.T) {
	t.Parallel()
	suitetest.Full(t, "a run for a second form of the table; TestTheArchiveAsATableHasTheColumnsOfPyribsAndEveryElite stands for it")
	dir := finished(t)
	rows, err := csv.NewReader(strings.NewReader(must(t, dir, "export", "-"))).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	file := filepath.Join(t.TempDir(), "archive.parquet")
	must(t, dir, "export", file)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, column := range got.Schema().Columns() {
		names = append(names, strings.Join(column, "/"))
	}
	if !slices.Equal(names, rows[0]) {
		t.Errorf("columns %q, want %q", names, rows[0])
	}
	if int(got.NumRows()) != len(rows)-1 {
		t.Fatalf("%d rows, want %d", got.NumRows(), len(rows)-1)
	}
	reader := parquet.NewReader(got)
	defer reader.Close()
	list := make([]parquet.Row, len(rows)-1)
	for i := range list {
		one := list[i : i+1]
		if n, err := reader.ReadRows(one); n != 1 {
			t.Fatalf("row %d: %v", i, err)
		}
		for k, v := range one[0] {
			text := v.String()
			switch {
			case v.IsNull():
				text = ""
			case v.Kind() == parquet.Double:
				text = strconv.FormatFloat(v.Double(), 'g', -1, 64)
			}
			if want := rows[i+1][k]; text != want {
				t.Errorf("row %d, %s: %q, want %q", i, names[k], text, want)
			}
		}
	}
}
