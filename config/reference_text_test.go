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
			if section == "search" {
				b.WriteString(referenceSearch)
			}
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

const referenceSearch = `
### Parents

A parent is an elite whose niche is not frozen. Its chance is its weight over the sum of all weights, times the boost of its niche. With r its rank
by objective (the best is 0), t its children that ended, s those of them that took a niche, n the candidates that fell into its niche, T the sum of all t, and u its rank by
(1 + s)/(2 + t) + sqrt(ln(1 + T)/(1 + t))/2:

| ` + "`search.selection`" + ` | weight | goes for |
|---|---|---|
| ` + "`uniform`" + ` | 1 | the whole map |
| ` + "`rank`" + ` | 1/(1 + r)^2 | the best: six in ten draws, a quarter to the next two |
| ` + "`exploit`" + ` | 4 (elites - 1) for the best, 1 for each other | the best: four draws in five |
| ` + "`curiosity`" + ` | (1 + s)/(2 + t) | those whose children take niches |
| ` + "`novelty`" + ` | 1/sqrt(1 + n) | niches into which little fell |
| ` + "`ucb`" + ` | 1/(1 + u)^2 | those whose children may take niches, as far as is known |
| ` + "`mixed`" + ` | one of rank, uniform, curiosity, novelty and ucb, drawn for each job | all of that, as it yields |

Mixed draws a way with the share 0.06 (rank 0.4) + 0.36 x (its niches per job / the sum of these + its new bests per job / the sum of these)/2, where the jobs of a way count less the older they are (1/e after 1,000
jobs) and every way begins with 30 jobs at the mean of all. Which way drew the parent, its share and the chance are part of the reason that a job tells.

Of mixed every weight is divided by 1 + v/12, v being the children of a parent since the last that took a niche, without samples of an evolution strategy: an elite whose neighbourhood is known rests.

Of the jobs that merge two candidates every second has for its second one an elite that is drawn in proportion to the number of steps from niche to niche; the others, and whoever is shown
besides, come from the rings of niches around the parent, the nearest first.

### Moves of numbers

A job of the offline agent that changes one number and nothing else is a move. One from a to b that made its parent better says that the number does best beyond (a + b)/2 on the side of b, one that made it
worse that it does best on the side of a; one that leads into another niche of named axes says nothing. A value that disagrees with a move counts 0.1 where the move led from or to the parent, else 0.2, for each of the last
12 moves of the number among those of the last 4,096 candidates. In up to four of five jobs that tune, by how often such steps pay, 24 steps of a number are drawn as without moves; each of them may be the best value
with a chance in proportion to what the moves leave of it, and one step is taken in proportion to how much nearer it is expected to come. A number is drawn by its weight times that expectation beside the one without
moves (3 at most). So what paid is done again and further, what made it worse is reversed and not tried twice, and a number that lies between two that made it worse is left to itself; where numbers depend on each other
moves contradict each other and change little. All of it follows from the log: a job tells how many moves its step heeds.

### Samples of an evolution strategy

With ` + "`" + `search.evolve` + "`" + ` E > 0 a job in which the offline agent tunes without a target is, with chance E, a sample of a run of separable CMA-ES (Ros and Hansen 2008). The first run begins after 40 jobs with the root. Its
coordinates are the fractions among the numbers of the file that has most of them, 4 to 256 whose weight is at least a half (in tables, after names), no whole numbers. A number of a table moves by x = base + scale z, the scale
being the mean size of the numbers beside it; one that stands alone and is positive by x = base exp(8 z). The first step is 0.02; a generation is 15 samples in the order in which they came back, whatever generation they were
drawn from.

Where at least 70 % of a generation are worth as much as its best the step grows (flat fitness, Hansen's tutorial of CMA-ES), e-fold where all are. A run ends after five generations where most samples of the last two are worth
as much as the best, as the numbers do not count then, and the next begins with the root; or after 25 generations without a better sample, and the next begins, in turns, from a parent that the search drew of late and from the
best, with 15, 30 and then 60 samples a generation. Where samples cannot be drawn, or three of four of the first generation fail, it rests for 500 jobs. Nothing is stored for it: the state is computed from the seed, the log and
the generation named in what a candidate was to do.

### The front

With ` + "`front.objectives`" + ` or ` + "`front.cases`" + ` a share of the jobs (` + "`front.parents`" + `) has its parent from among those who are best in a way of their own, whether they hold a niche or not; the others are drawn as
above. Who is on the Pareto front of the objective and ` + "`front.objectives`" + ` has the weight 1/(how many are on it), who leads cases (cases led)/(all cases), added where both are; each times the boost of
its niche, and 0 in a frozen one. A case is led by the candidate with the best value in it, of several by the one with the better objective, then the lower number. The archive, the best and what is claimed do
not depend on it. ` + "`atoll front`" + ` lists them, also for metrics that the configuration does not name.

### A search that stands

A search stands when no better best was found for a quarter of all jobs (100 at least), or no niche was taken for a tenth (50 at least). Until it does not, mutate, crossover, synergy, structural and
rewrite have twice their weight, and of ` + "`mixed`" + ` rank leaves the best out (the next one is rank 0 and keeps 1/4, a start from the second best) and the shares go by niches per job alone. With islands the worst one
ends and another begins, as below. The log and ` + "`atoll status`" + ` say so.

### Islands

With ` + "`search.islands`" + ` above 1 jobs go to the islands in turns. What all of them make competes on one map, which is what is shown; the parents and inspirations of a job are the elites of its island: the best of what
that island's jobs made, of its guests, and of the root and what people injected, in each niche.

Where ` + "`map.axes`" + ` names axes, niches are parts of solutions, and islands share them. The first island follows no axis, each other one the next of the axes. One that follows an axis draws, with ` + "`search.selection: mixed`" + `, four of
five parents by 1/(1 + r)^2, r being the rank from 0 by the distance of the niche from the root's along that axis, of those as far by objective; divided by 1 + v/12 as above. They and inspirations come from the elites of all islands,
as those of the first island do; by rank and exploit an island that follows an axis draws from its own. Half of the crossovers take their donor from the head of another island: who is first along
its axis, of the first island its best.

At the end of an epoch (` + "`search.epoch`" + `) the best of every island, and one drawn from the last 32 of its own
that took a niche, become guests of the next island in the ring. Before that the island whose best is behind those of all others ends if it found nothing better for a third of its
jobs (an epoch at least): a new one begins with the root and the best candidate that descends from another child of the root than the best of all. Numbers of islands are never given twice, and all of this
follows from the log.
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
