package probe

import "reflect"

// API is what a package under test offers. Entries are in a fixed order, which
// is the same in every tree that is compared.
type API struct {
	Funcs     []Func
	Types     []Type
	Own       []Type         // stand for types of a caller's own behind interfaces
	Given     []reflect.Type // of a caller, behind interfaces that take any value
	Errors    []Sentinel
	Values    []Sentinel // exported constants and variables, as they were declared
	Variables []Sentinel // exported ones, as pointers to them
	// Watch holds what the last case did in the code that is watched, a byte for
	// each thing that can happen; nil where nothing is watched. Pairs takes how comparisons
	// stood since it was called last, and Path tells the way that was gone since then; nil
	// where nothing is watched.
	Watch []byte
	Pairs func() []Pair
	Path  func() uint64
	Ask   func() // Pairs will be called
}

// Func is a function, not a method.
type Func struct {
	Name  string
	Value reflect.Value
}

// Type is a named type of the package.
type Type struct {
	Name string
	Type reflect.Type
}

// Sentinel is a package-level name and what it holds, such as an error.
type Sentinel struct {
	Name  string
	Value any
}

// The modes of a [Request].
const (
	Survey  = "survey"  // many cases, answered by hashes
	Explore = "explore" // many cases, of which those are answered that did something new in the watched code
	Detail  = "detail"  // the named cases, in full
	Shrink  = "shrink"  // simpler variants of one case, in full
)

// Habits are what was learnt of the root: what it does on the way and at its edges holds for both trees.
type Habits struct {
	Tame      []string `json:"tame,omitempty"`      // groups that get small numbers only
	Endless   []string `json:"endless,omitempty"`   // what is not called on the way to the call that a case is about, as [Answer] names it
	Unordered []string `json:"unordered,omitempty"` // methods that give lists in no order, of Python what has a list or a table in none, as [Answer] names them
	Barren    []string `json:"barren,omitempty"`    // functions that seldom give a value of use, as [Answer] names them
	Dull      []string `json:"dull,omitempty"`      // functions that give what looks the same, as [Answer] names them
	Writers   []string `json:"writers,omitempty"`   // Go: functions of the package that write its variables, as its sources say
}

// Omissions are what a request leaves out.
type Omissions struct {
	Skip  []string       `json:"skip,omitempty"`  // groups to leave out
	Omit  []int          `json:"omit,omitempty"`  // positions to leave out
	Until map[string]int `json:"until,omitempty"` // by group the first of the cases that are left out behind it, where not all are asked
}

// Request is what the asker wants to know.
type Request struct {
	Habits
	Omissions
	Mode      string   `json:"mode"`
	Seed      uint64   `json:"seed"`
	Count     int      `json:"count"`               // cases per group, in a survey
	Close     []string `json:"close,omitempty"`     // groups that get CloseFactor times as many
	Backwards bool     `json:"backwards,omitempty"` // groups in reverse order
	Groups    []string `json:"groups,omitempty"`    // only these; none: all that leave nothing behind
	From      int      `json:"from,omitempty"`      // position in the survey to start at
	Known     []string `json:"known,omitempty"`     // groups that differ: not called to see what another left behind
	Orders    bool     `json:"orders,omitempty"`    // Python, of Detail: the order of lists and tables is told
	Trace     bool     `json:"trace,omitempty"`     // of Survey: the first case alone, which tells what it calls on the way
	Cases     []Case   `json:"cases,omitempty"`     // of Detail and Shrink
	Literals  Literals `json:"literals"`
	// Corpus holds choices by group that did something worth doing again: they are
	// cases of a survey, and others are made from them.
	Corpus map[string][][]uint64 `json:"corpus,omitempty"`
	// Variables are exported variables of the package by the groups that read them: a part of the cases of
	// a survey sets them.
	Variables map[string]Reads `json:"variables,omitempty"`
	Marks     []int            `json:"marks,omitempty"`    // blocks of what changed, in the watched code
	Around    bool             `json:"around,omitempty"`   // all cases of a survey are made from the corpus
	Drawn     bool             `json:"drawn,omitempty"`    // all cases of a survey are drawn, also beside the corpus
	Extra     []string         `json:"extra,omitempty"`    // Python: functions that no test calls
	Changed   []string         `json:"changed,omitempty"`  // Python: files whose lines are counted
	CaseMS    int64            `json:"case_ms"`            // longest time of one case
	GroupMS   int64            `json:"group_ms,omitempty"` // Go, and the others where Drawn: processor time of one group, CloseFactor times as much of a close one
	HeapMiB   uint64           `json:"heap_mib"`
}

// Reads are the variables that a function reads. Changed are those that one version alone reads, or of which the
// reading may have changed: most cases set these.
type Reads struct {
	Changed []string `json:"changed,omitempty"`
	Others  []string `json:"others,omitempty"`
}

// StepMark stands between the things that an outcome tells, where it is one of several.
const StepMark = "\x04"

// CloseFactor is how many times as many cases a group gets that is close to the
// change.
const CloseFactor = 3

// Case names one case: by its index in the survey, or by its choices.
type Case struct {
	Group   string   `json:"group"`
	Index   int      `json:"index"`
	Choices []uint64 `json:"choices,omitempty"`
	Mute    bool     `json:"mute,omitempty"` // of Detail: it is made, and nothing is told of it
}

// Literals are values found in sources and tests: real inputs are near them.
type Literals struct {
	Strings []string  `json:"strings,omitempty"`
	Ints    []int64   `json:"ints,omitempty"`
	Floats  []float64 `json:"floats,omitempty"`
	Tuples  []Tuple   `json:"tuples,omitempty"`
	Lists   []Tuple   `json:"lists,omitempty"` // elements of slices
	Records []Record  `json:"records,omitempty"`
	// Those of the code that changed: its boundaries are at or beside them.
	NearStrings []string  `json:"near_strings,omitempty"`
	NearInts    []int64   `json:"near_ints,omitempty"`
	NearFloats  []float64 `json:"near_floats,omitempty"`
	// Edges are constants of the changed code and of what it names, those of one version
	// alone first. The values at and beside them are tried whatever the seed.
	Edges Tuple `json:"edges,omitempty"`
}

// Tuple is a row of constants that stand together: arguments of one call, a row
// of a table. Each value is a string, an int64, a float64 or a bool.
type Tuple []Constant

// Constant is one value of a tuple; exactly one field is set.
type Constant struct {
	Str   *string  `json:"s,omitempty"`
	Int   *int64   `json:"i,omitempty"`
	Float *float64 `json:"f,omitempty"`
	Bool  *bool    `json:"b,omitempty"`
	Name  *string  `json:"n,omitempty"` // in a record: what an exported name of the package holds
}

// Record is a struct as the sources fill it.
type Record struct {
	Type   string  `json:"type"`
	Fields []Field `json:"fields"`
}

// Field is one of its fields and the constants that it is given; none where it is given something else.
type Field struct {
	Name   string `json:"name"`
	Values Tuple  `json:"values,omitempty"`
	List   bool   `json:"list,omitempty"` // they are elements of a slice
}

// The kinds of an [Answer].
const (
	AnswerGroup    = "group"    // a group and its signature
	AnswerValue    = "value"    // an exported constant or variable, and what it holds
	AnswerVariable = "variable" // an exported variable of which other values can be made, and its type
	AnswerCase     = "case"
	AnswerKeep     = "keep"      // choices worth doing again
	AnswerNoOrder  = "unordered" // a method gave a list in two orders
	AnswerBarren   = "barren"    // a function that makes values gave none of use
	AnswerDull     = "dull"      // what a function gave looked the same each time
	AnswerStep     = "step"      // what is called on the way; nothing when it came back
	AnswerReach    = "reach"     // an input of the group ran a block of the request's marks
	AnswerStart    = "start"     // the cases of a group begin, with the one at Index and Position
	AnswerStuck    = "stuck"     // the case took too long or too much; the process ends
	AnswerLost     = "lost"      // the case took too long and was ended; the process goes on
	AnswerGiven    = "given"     // the group is given up: too much time was lost with it
	AnswerEnd      = "end"       // everything was answered
)

// Answer is one line of the result.
type Answer struct {
	Kind      string   `json:"k"`
	Group     string   `json:"g,omitempty"`
	Index     int      `json:"i,omitempty"`
	Position  int      `json:"p,omitempty"` // in the survey
	In        string   `json:"in,omitempty"`
	Out       string   `json:"out,omitempty"`     // of a survey: a hash of all but [NilMark] and [LayoutMark]
	Marked    string   `json:"marked,omitempty"`  // of a survey: a hash with those, where there is one
	Results   string   `json:"results,omitempty"` // Go: of Out what the call gave, where there is more, such as what became of an object; of a survey a hash
	Path      string   `json:"path,omitempty"`    // of a survey: a hash of the way through the watched code
	Choices   []uint64 `json:"c,omitempty"`
	Signature string   `json:"sig,omitempty"`
	Void      bool     `json:"void,omitempty"`    // a variable was set, or a test is played, and the code panics: the case says nothing
	Step      string   `json:"step,omitempty"`    // what is called on the way to the call that the case is about, or did not come back there
	Lasting   bool     `json:"lasting,omitempty"` // the group may change the state of the package
	Late      bool     `json:"late,omitempty"`    // Python: the group is asked where inputs are looked for
	Test      bool     `json:"test,omitempty"`    // Go, Python: the group is a test, played with other values
	// Orders has by what holds a list or a table a number of its items in their order, and one of the same sorted.
	Orders map[string][2]uint32 `json:"orders,omitempty"`
}
