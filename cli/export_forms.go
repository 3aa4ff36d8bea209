package cli

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

func writeTableCSV(w io.Writer, t *archiveTable) error {
	out := csv.NewWriter(w)
	line := make([]string, len(t.columns))
	for i, c := range t.columns {
		line[i] = c.name
	}
	if err := out.Write(line); err != nil {
		return err
	}
	for _, row := range t.rows {
		for i, v := range row {
			switch v := v.(type) {
			case nil:
				line[i] = ""
			case float64:
				line[i] = strconv.FormatFloat(v, 'g', -1, 64)
			default:
				line[i] = fmt.Sprint(v)
			}
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// writeTableJSON writes a list of objects, as pandas reads with orient="records".
func writeTableJSON(w io.Writer, t *archiveTable) error {
	list := make([]map[string]any, 0, len(t.rows))
	for _, row := range t.rows {
		object := map[string]any{}
		for i, v := range row {
			object[t.columns[i].name] = v
		}
		list = append(list, object)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(list)
}

// writeTableParquet writes columns that may be empty, in the order of the table.
func writeTableParquet(w io.Writer, t *archiveTable) error {
	fields := columnGroup{Group: parquet.Group{}}
	for _, c := range t.columns {
		leaf := parquet.Leaf(parquet.DoubleType)
		switch c.zero.(type) {
		case string:
			leaf = parquet.String()
		case int:
			leaf = parquet.Leaf(parquet.Int64Type)
		}
		fields.Group[c.name] = parquet.Compressed(parquet.Optional(leaf), &parquet.Zstd)
		fields.order = append(fields.order, c.name)
	}
	out := parquet.NewGenericWriter[any](w, parquet.NewSchema("archive", fields), parquet.CreatedBy("atoll", "", ""))
	rows := make([]parquet.Row, len(t.rows))
	for i, row := range t.rows {
		rows[i] = make(parquet.Row, len(row))
		for k, v := range row {
			if v == nil {
				rows[i][k] = parquet.NullValue().Level(0, 0, k)
			} else {
				rows[i][k] = parquet.ValueOf(v).Level(0, 1, k)
			}
		}
	}
	if _, err := out.WriteRows(rows); err != nil {
		return err
	}
	return out.Close()
}

// columnGroup is a group whose fields keep an order; the library's own sorts them by
// name.
type columnGroup struct {
	parquet.Group
	order []string
}

// Fields returns the columns as the table has them.
func (g columnGroup) Fields() []parquet.Field {
	fields := g.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int {
		return cmp.Compare(slices.Index(g.order, a.Name()), slices.Index(g.order, b.Name()))
	})
	return fields
}
