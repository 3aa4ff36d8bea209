package config

import (
	"fmt"
	"strings"
)

// Reference returns docs/config.md: every key with its default, what it
// accepts and what it means, in the order of the file.
func Reference() []byte {
	var b strings.Builder
	b.WriteString(referenceHead)
	section := "."
	for _, k := range Keys() {
		if s := sectionOf(k.Path); s != section {
			section = s
			fmt.Fprintf(&b, "\n## %s\n\n| key | default | accepts | meaning |\n|---|---|---|---|\n", heading(section))
		}
		fmt.Fprintf(&b, "| `%s`%s | %s | %s | %s |\n", k.Path, marks(k), code(k.Default), cell(k.Allowed), cell(k.Doc))
	}
	b.WriteString(referenceLoreley)
	for _, a := range loreleyAliases() {
		fmt.Fprintf(&b, "| `%s` | `%s` |\n", a.name, a.key)
	}
	return []byte(b.String())
}

const referenceHead = `# Configuration

This page is generated from the code; ` + "`atoll config explain`" + ` prints the same with the values of your repository and where
each came from.

Values come from four places, and later ones win: defaults, ` + "`atoll.yaml`" + `, environment variables, flags.

- **atoll.yaml** lies at the top of the repository and is read when an experiment starts. It is always protected: a candidate
  cannot change it. An unknown key is an error, with its line and the key that was probably meant; all problems are reported
  at once. A key without a value keeps its default.
- **Environment:** ` + "`ATOLL_`" + ` and the key in capitals with ` + "`_`" + ` for ` + "`.`" + `: ` + "`ATOLL_EVALUATOR_TIMEOUT=30s`" + `. Lists are written
  ` + "`a,b`" + ` or ` + "`[a, b]`" + `, maps ` + "`tune=0.5,mutate=0.5`" + `, lists of sections as YAML.
- **Flags:** ` + "`--set evaluator.timeout=30s`" + `. Elements of a list are reached by name or number: ` + "`--set agents.codex.weight=2`" + `,
  ` + "`--set evaluator.stages.0.timeout=5s`" + `; names of a map directly: ` + "`--set search.operators.tune=0.5`" + `.

Durations carry a unit (` + "`90s`, `5m`, `1h30m`" + `). Sizes are bytes with a unit: ` + "`512MiB`" + ` is 512 x 1024 x 1024, ` + "`512MB`" + ` is 512 x
1000 x 1000. A command is a list of arguments, or one line that ` + "`sh -c`" + ` runs. Globs are relative to the top of the
repository; ` + "`**`" + ` stands for any number of folders. No value holds a secret: keys are named by environment variable.

Marks: **live** may change after an experiment has started, at the next run at the latest; all other keys are frozen when it
starts, and a run that finds them changed refuses and names ` + "`run --new`" + `. **measure** affects what is measured: values from
before and after such a change are never compared; ` + "`run --remeasure`" + ` begins a new objective version (docs/evaluators.md).
`

const referenceLoreley = `
## Names of Loreley

These variables of Loreley mean the same as a key and are read as they are; an ` + "`ATOLL_`" + ` variable wins over them.
` + "`atoll import loreley FILE`" + ` writes an atoll.yaml from a whole environment file and says what did not map.

| variable | key |
|---|---|
`

// sectionOf is the part of a path before its last name; "" for the top.
func sectionOf(path string) string {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		if path == "agents" || path == "prices" || path == "targets" {
			return path + "[]"
		}
		return ""
	}
	return path[:i]
}

func heading(section string) string {
	if section == "" {
		return "The experiment"
	}
	return section
}

func marks(k Key) string {
	s := ""
	if k.Live {
		s += " **live**"
	}
	if k.Measure {
		s += " **measure**"
	}
	return s
}

// code sets a default in code type, unless it is in words or empty.
func code(s string) string {
	switch {
	case s == "" || s == "[]" || s == "{}":
		return ""
	case strings.Contains(s, " ") && !strings.HasPrefix(s, "[") && !strings.HasPrefix(s, "{"):
		return cell(s)
	}
	return "`" + cell(s) + "`"
}

// cell keeps a text from ending its cell.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
