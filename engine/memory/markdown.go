package memory

import (
	"sort"
	"strings"

	"atoll/store/record"
)

// Markdown writes the notes that are not gone, for people: by target (global
// first), then by kind, newest first.
func Markdown(notes []record.Note) string {
	byTarget := map[string][]record.Note{}
	for _, n := range notes {
		if !n.Gone && strings.TrimSpace(n.Text) != "" {
			byTarget[n.Target] = append(byTarget[n.Target], n)
		}
	}
	targets := make([]string, 0, len(byTarget))
	for t := range byTarget {
		targets = append(targets, t)
	}
	sort.Strings(targets)
	var b strings.Builder
	b.WriteString("# Notes\n")
	if len(targets) == 0 {
		b.WriteString("\nThere are none yet.\n")
	}
	for _, t := range targets {
		if t == "" {
			b.WriteString("\n## Global\n")
		} else {
			b.WriteString("\n## Target " + escape(plainLine(t)) + "\n")
		}
		for _, k := range []struct{ kind, title string }{
			{Direction, "Directions"}, {Long, "Lessons"}, {FailureOf, "Failures"}, {Short, "Lately"},
		} {
			writeKind(&b, k.title, k.kind, byTarget[t])
		}
		writeKind(&b, "Other", "", byTarget[t])
	}
	return b.String()
}

// writeKind writes the notes of one kind; "" takes those of an unknown kind.
func writeKind(b *strings.Builder, title, kind string, notes []record.Note) {
	var list []record.Note
	for _, n := range notes {
		if n.Kind == kind || kind == "" && !known(n.Kind) {
			list = append(list, n)
		}
	}
	if len(list) == 0 {
		return
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].ID > list[j].ID })
	b.WriteString("\n### " + title + "\n\n")
	for _, n := range list {
		var lines []string
		for _, l := range strings.Split(strings.TrimSpace(n.Text), "\n") {
			lines = append(lines, escape(plainLine(l)))
		}
		b.WriteString("- " + strings.Join(lines, "\n  ") + " *(" + escape(plainLine(author(n))) + ")*\n")
	}
}

func known(kind string) bool {
	return kind == Short || kind == Long || kind == FailureOf || kind == Direction
}

func author(n record.Note) string {
	if n.Author == "" {
		return "a person"
	}
	return n.Author
}

// escape keeps a text from being read as Markdown or HTML.
func escape(s string) string {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", "#", `\#`, "|", `\|`).Replace(s)
}
