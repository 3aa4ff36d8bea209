package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"atoll/engine/memory"
	"atoll/engine/view"
	"atoll/store/record"
)

// notesCmd lists the notes that later prompts carry, writes them as Markdown,
// and changes or drops one.
func (a *App) notesCmd() *cobra.Command {
	var export, edit string
	var drop, id int64
	cmd := &cobra.Command{
		Use: "notes", Short: "List what agents are told, write it as Markdown, change or drop a note",
		Example: "  atoll notes\n  atoll notes --export notes.md\n  atoll notes --id 12 --text 'only for small inputs'\n  atoll notes --drop 12", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd.Context(), func(o *opened) error {
				list, err := o.DB.Notes(cmd.Context(), o.exp.ID)
				if err != nil {
					return err
				}
				switch {
				case drop > 0 || id > 0:
					d, err := noteChange(list, max(drop, id), edit, drop > 0)
					if err != nil {
						return err
					}
					return a.decide(cmd.Context(), o, d)
				case edit != "":
					return usage("--text says what a note should read: name the note with --id, or write a new one with `atoll note`")
				case export != "":
					return a.exportNotes(list, export)
				}
				return a.listNotes(list)
			})
		},
	}
	cmd.Flags().StringVar(&export, "export", "", "write all notes as Markdown into this file (- for stdout)")
	cmd.Flags().Int64Var(&id, "id", 0, "the note to change, with --text")
	cmd.Flags().StringVar(&edit, "text", "", "its new text")
	cmd.Flags().Int64Var(&drop, "drop", 0, "the note that no prompt should carry any more")
	return cmd
}

// noteChange is the decision that gives a note another text, or drops it.
func noteChange(list []record.Note, id int64, text string, drop bool) (record.Decision, error) {
	i := slices.IndexFunc(list, func(n record.Note) bool { return n.ID == id && !n.Gone })
	if i < 0 {
		return record.Decision{}, usage("there is no note %d; `atoll notes` lists them", id)
	}
	n := list[i]
	if n.Gone = drop; !drop {
		if text == "" {
			return record.Decision{}, usage("--id %d: say the new text with --text, or drop it with --drop %d", id, id)
		}
		n.Text = text
	}
	args, err := json.Marshal(n)
	d := noObject(record.WriteNote)
	d.Args, d.Text = args, n.Text
	return d, err
}

func (a *App) exportNotes(list []record.Note, file string) error {
	text := memory.Markdown(list)
	if file == "-" {
		_, err := fmt.Fprint(a.Out, text)
		return err
	}
	if err := os.WriteFile(a.abs(file), []byte(text), 0o644); err != nil {
		return fmt.Errorf("write the notes: %w", err)
	}
	_, err := fmt.Fprintf(a.Out, "wrote %s\n", view.CleanLine(file))
	return err
}

func (a *App) listNotes(list []record.Note) error {
	tw := table(a.Out)
	if !a.flags.json {
		fmt.Fprintln(tw, "NOTE\tKIND\tTARGET\tBY\tTEXT")
	}
	for _, n := range list {
		switch {
		case n.Gone:
		case a.flags.json:
			writeJSONLine(a.Out, n)
		default:
			target := n.Target
			if target == "" {
				target = "-"
			}
			fmt.Fprintf(tw, "%d\t%s\t%s\t%s\t%s\n", n.ID, n.Kind, view.CleanLine(target), view.CleanLine(n.Author), view.CleanLine(short(n.Text, 100)))
		}
	}
	return tw.Flush()
}
