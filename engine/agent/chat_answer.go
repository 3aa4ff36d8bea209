package agent

import (
	"fmt"

	"atoll/engine/agent/edit"
)

const planAnswer = `Answer with one JSON object and nothing else, with these fields:
plan_summary (text, at most 512 characters), rationale (text, at most 2048), focus_metrics (list of 1 to 10 names),
guardrails, risks, validation (lists of 1 to 20 texts of at most 400 characters), handoff_notes (list of at most 20 texts of at most 200),
fallback_plan (text of at most 1200 characters, or null), steps (list of 1 to 6 objects, each with id (at most 64 characters), title (120), intent (400),
actions (list of 1 to 12 texts of at most 200), files (at most 30 paths), dependencies (at most 12 ids), validation (list of 1 to 12 texts), risks and references
(lists of at most 12 texts)).`

const intentLine = `First think, in a few lines of plain text: what limits the base according to its figures, what the other versions show, which one change follows.
Then one line "INTENT: " and what the change does, in at most 15 words. Then write the edits, and nothing after them.`

const blocksAnswer = intentLine + `
Each edit is the path of a file on a line of its own, and below it a block:

path/to/file
<<<<<<< SEARCH
lines as they are in the file now
=======
lines to put in their place
>>>>>>> REPLACE

SEARCH holds whole lines, copied exactly, enough of them to occur only once in the file. Leave SEARCH empty to make a new file. Blocks of one file apply in
order. A whole answer looks like this:

The loop looks at every bin again for each item; one that is full can never take one.
INTENT: skip bins that are full
pack/bins.go
<<<<<<< SEARCH
	for i := range bins {
=======
	for i := firstOpen; i < len(bins); i++ {
>>>>>>> REPLACE

To delete a file write a line "DELETE FILE: path". If nothing is worth changing, write NO CHANGE.`

const wholeAnswer = intentLine + `
Each edit is the path of a file on a line of its own, and below it the whole new content of that file in a fence:

path/to/file
` + "```" + `
all lines of the file
` + "```" + `

Write every line: nothing is left out or abbreviated. Use a longer fence when the file itself has fences. Files that you do not write stay as they are.
To delete a file write a line "DELETE FILE: path". If nothing is worth changing, write NO CHANGE.`

const diffAnswer = intentLine + `
Write the edits as one unified diff, with three lines of context:

--- a/path/to/file
+++ b/path/to/file
@@ -12,4 +12,5 @@
 a line that stays
-a line that goes
+a line that comes
 a line that stays

Every line of a hunk begins with a space, - or +. A new file is written against /dev/null, a deleted one towards it.
If nothing is worth changing, write NO CHANGE.`

// editAnswer tells the model how to write its edits.
func editAnswer(f edit.Format) string {
	switch f {
	case edit.Whole:
		return wholeAnswer
	case edit.Diff:
		return diffAnswer
	}
	return blocksAnswer
}

// correction tells the model what was wrong with its edits.
func correction(problems string) string {
	return fmt.Sprintf("None of your edits was made, because of this:\n%s\nThe files are as they were shown. Answer again with all edits, in the same form.", problems)
}
