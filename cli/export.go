package cli

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"atoll/engine/view"
	"atoll/store/record"
)

// archiveTable is the archive as a table, a row for each elite, with the columns that
// pyribs gives an ArchiveDataFrame (solution, objective, measures_0 and on, index) first:
// `ArchiveDataFrame(pd.read_csv(FILE))` reads it. The solution is the commit; objective
// is what the archive compares, higher is better. What follows is atoll's own.
type archiveTable struct {
	columns []string
	rows    [][]any // of string, int, float64 or nil
}

func (a *App) exportCmd() *cobra.Command {
	return &cobra.Command{
		Use: "export FILE.csv|FILE.json", Short: "Write the archive as a table, with the column names of pyribs",
		Long: `A row for each elite: solution (its commit), objective (higher is better), measures_0 and on (its coordinates), index (its
niche), then candidate, value (the objective in its own direction), samples, claimed, and a column metric:NAME for every metric. The
ending of the name says in which form; - with --json or without writes to standard output.`,
		Example: "  atoll export archive.csv\n  atoll export --json - | jq '.[0]'", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			form := a.exportForm(args[0])
			if form == nil {
				return usage("export %s: name a file that ends in .csv or .json", args[0])
			}
			return a.with(cmd.Context(), func(o *opened) error {
				t, err := tableOf(cmd.Context(), o)
				if err != nil {
					return err
				}
				if args[0] == "-" {
					return form(a.Out, t)
				}
				if err := t.save(a.abs(args[0]), form); err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.Out, "wrote %s: %s\n", args[0], view.Plural(len(t.rows), "elite"))
				return err
			})
		},
	}
}

// exportForm is how a file of that name is written; nil where its ending says nothing.
func (a *App) exportForm(name string) func(io.Writer, *archiveTable) error {
	switch ending := regexp.MustCompile(`\.[^./]+$`).FindString(name); {
	case ending == ".json", name == "-" && a.flags.json:
		return writeTableJSON
	case ending == ".csv", name == "-":
		return writeTableCSV
	}
	return nil
}

// save writes a new file.
func (t *archiveTable) save(path string, form func(io.Writer, *archiveTable) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s is there already: choose another name or remove it", path)
	}
	if err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	return errors.Join(form(f, t), f.Close())
}

func tableOf(ctx context.Context, o *opened) (*archiveTable, error) {
	arch := o.state.Archive()
	if arch == nil {
		return nil, errors.New("write the archive: the root is not measured yet")
	}
	elites, cells := arch.Elites(), arch.Filled()
	ids := make([]record.CandidateID, len(elites))
	dims := 0
	for i, e := range elites {
		ids[i], dims = e.ID, max(dims, len(e.Point))
	}
	metrics, err := o.DB.MetricsOf(ctx, o.exp.ID, ids)
	if err != nil {
		return nil, err
	}
	t := &archiveTable{columns: []string{"solution", "objective"}}
	for i := range dims {
		t.columns = append(t.columns, "measures_"+strconv.Itoa(i))
	}
	t.columns = append(t.columns, "index", "candidate", "value", "samples", "claimed")
	var names []string
	for _, list := range metrics {
		for _, m := range list {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	slices.Sort(names)
	for _, name := range names {
		t.columns = append(t.columns, "metric:"+name)
	}
	for i, e := range elites {
		c, err := o.DB.Candidate(ctx, o.exp.ID, e.ID)
		if err != nil {
			return nil, err
		}
		row := []any{c.Commit.String(), e.Objective}
		for k := range dims {
			row = append(row, at(e.Point, k))
		}
		row = append(row, cells[i], int(e.ID), number(c.Objective), e.Samples, number(c.Claimed))
		for _, name := range names {
			var value any
			if k := slices.IndexFunc(metrics[e.ID], func(m record.Metric) bool { return m.Name == name }); k >= 0 {
				value = metrics[e.ID][k].Value
			}
			row = append(row, value)
		}
		t.rows = append(t.rows, row)
	}
	return t, nil
}

func at(list []float64, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

func number(v *float64) any {
	if v == nil {
		return nil
	}
	return *v
}

func writeTableCSV(w io.Writer, t *archiveTable) error {
	out := csv.NewWriter(w)
	if err := out.Write(t.columns); err != nil {
		return err
	}
	line := make([]string, len(t.columns))
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
			object[t.columns[i]] = v
		}
		list = append(list, object)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(list)
}
