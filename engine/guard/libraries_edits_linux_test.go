package guard_test

// The modules that are edited.
const (
	bitset     = "github.com/bits-and-blooms/bitset@v1.22.0"
	cron       = "github.com/robfig/cron/v3@v3.0.1"
	inflection = "github.com/jinzhu/inflection@v1.0.0"
	lru        = "github.com/hashicorp/golang-lru@v1.0.2"
	match      = "github.com/tidwall/match@v1.1.1"
	pretty     = "github.com/tidwall/pretty@v1.2.1"
	radix      = "github.com/armon/go-radix@v1.0.0"
	semver     = "github.com/Masterminds/semver/v3@v3.3.1"
	shellquote = "github.com/kballard/go-shellquote@v0.0.0-20180428030007-95032a82bc51"
	units      = "github.com/docker/go-units@v0.5.0"
	wordwrap   = "github.com/mitchellh/go-wordwrap@v1.0.1"
	xstrings   = "github.com/huandu/xstrings@v1.5.0"

	camelcase  = "github.com/fatih/camelcase@v1.0.0"
	coresemver = "github.com/coreos/go-semver@v0.3.1"
	datasize   = "github.com/c2h5oh/datasize@v0.0.0-20231215233829-aa82cc1e6500"
	edlib      = "github.com/hbollon/go-edlib@v1.7.0"
	matchr     = "github.com/antzucaro/matchr@v0.0.0-20221106193745-7bed6ef61ef9"
	shellwords = "github.com/mattn/go-shellwords@v1.0.16"
	smetrics   = "github.com/xrash/smetrics@v0.0.0-20250705151800-55b8f293f342"
	stoewer    = "github.com/stoewer/go-strcase@v1.3.0"
	strftime   = "github.com/jehiah/go-strftime@v0.0.0-20171201141054-1d33003b3869"
)

// planted are edits that change what a caller sees, and that the tests of the
// libraries pass.
var planted = []edit{
	{"a unit of four letters passes", units, "size.go", "len(sfx) > 3", "len(sfx) > 4"},
	{"a unit of blanks panics", units, "size.go", "strings.ToLower(sfx)", "strings.TrimSpace(strings.ToLower(sfx))"},
	{"a second equals sign is an error", units, "ulimit.go", `strings.SplitN(val, "=", 2)`, `strings.Split(val, "=")`},
	{"a line's end is not quoted", shellquote, "quote.go", `" \t\n"`, `" \t"`},
	{"one letter before a quote is lost", shellquote, "quote.go", "if i > 0 {", "if i > 1 {"},
	{"a word of exactly the width moves", wordwrap, "wordwrap.go", "wordBufLen < lim", "wordBufLen <= lim"},
	{"a walk does not stop below", radix, "radix.go", "\t\tif recursiveWalk(e.node, fn) {\n\t\t\treturn true\n\t\t}", "\t\trecursiveWalk(e.node, fn)"},
	{"a deleted branch counts as one", radix, "radix.go", "t.size -= subTreeSize", "t.size--"},
	{"a walk of a path goes on after its root", radix, "radix.go", "fn(n.leaf.key, n.leaf.val) {\n\t\t\treturn\n", "fn(n.leaf.key, n.leaf.val) && n != t.root {\n\t\t\treturn\n"},
	{"a search stops one step early", match, "match.go", "*counter > slen*maxcomp", "*counter >= slen*maxcomp"},
	{"a bound at the last character of one byte", match, "match.go", "r > 0x7f", "r > 0x80"},
	{"a limit of 0 is none", match, "match.go", "if maxcomp > -1", "if maxcomp > 0"},
	{"a bound beyond the first plane", match, "match.go", "r < utf8.MaxRune", "r < 0xffff"},
	{"late ideographs are no letters", xstrings, "count.go", `\u9FCC`, `\u9FFF`},
	{"the width of one character", xstrings, "count.go", `r < '\uFFA0'`, `r <= '\uFFA0'`},
	{"a typographic apostrophe joins words", xstrings, "manipulate.go", `inWord && (r == '\''`, `inWord && (r == '\u2019' || r == '\''`},
	{"a letter beyond ASCII stays small", xstrings, "convert.go", "if !unicode.IsLower(r)", "if !unicode.IsLower(r) || size > 1"},
	{"no words are an empty list and not nil", xstrings, "manipulate.go", "var words []string", "words := []string{}"},
	{"a value that is there is not exchanged", lru, "simplelru/lru.go", "ent.Value.(*entry).value = value\n", ""},
	{"what is added again stays old", lru, "simplelru/lru.go", "\t\tc.evictList.MoveToFront(ent)\n\t\tent.Value", "\t\tent.Value"},
	{"nobody is told of a nil that goes", lru, "simplelru/lru.go", "if c.onEvict != nil {\n\t\tc.onEvict(kv.key", "if c.onEvict != nil && kv.value != nil {\n\t\tc.onEvict(kv.key"},
	{"a step of one is no star", cron, "parser.go", "if step > 1 {", "if step > 0 {"},
	{"an error behind a good field is lost", cron, "parser.go", "if err != nil {\n\t\t\treturn bits, err\n", "if err != nil && bits == 0 {\n\t\t\treturn bits, err\n"},
	{"a start with a step of one is only itself", cron, "parser.go", "if singleDigit {", "if singleDigit && step > 1 {"},
	{"a large number is a word", semver, "version.go", "oi, n1 := strconv.ParseUint(o, 10, 64)", "oi, n1 := strconv.ParseUint(o, 10, 32)"},
	{"a tilde before a patch allows all", semver, "constraints.go", "c.con.Minor() == 0 && c.con.Patch() == 0 &&", "c.con.Minor() == 0 &&"},
	{"an empty set keeps one bit", bitset, "bitset.go", "return b.Shrink(63)", "return b.Shrink(0)"},
	{"a list that is handed out is the package's own", inflection, "inflections.go", "copy(uncountables, uncountableInflections)\n\treturn uncountables", "_ = uncountables\n\treturn uncountableInflections"},
	{"an argument is overwritten", pretty, "pretty.go", "return spec(src, nil)", "return spec(src, src)"},
	{"one entry stays on the line of its brace", pretty, "pretty.go", "if n > 0 {\n\t\t\t\t\tnl", "if n > 1 {\n\t\t\t\t\tnl"},
	{"an uncountable end of a word counts", inflection, "inflections.go", `"^(?i)("`, `"(?i)("`},
	{"a step of minus one passes", cron, "parser.go", "if num < 0 {", "if num < -1 {"},
	{"a text that does not end is read", coresemver, "semver/semver.go", "if l < 2 || data[0] != '\"' || data[l-1] != '\"' {", "if l < 2 || data[0] != '\"' {"},
	{"a bump keeps the metadata", coresemver, "semver/semver.go", "\tv.Patch += 1\n\tv.PreRelease = PreRelease(\"\")\n\tv.Metadata = \"\"", "\tv.Patch += 1\n\tv.PreRelease = PreRelease(\"\")"},
	{"a variable begins with a digit", shellwords, "shellwords.go", "(j > 0 && '0' <= c && c <= '9')", "('0' <= c && c <= '9')"},
	{"a kilobyte is told as one", datasize, "datasize.go", "case b > KB:\n\t\treturn fmt.Sprintf(\"%.1f KB\"", "case b >= KB:\n\t\treturn fmt.Sprintf(\"%.1f KB\""},
	{"the last number of terabytes is too large", datasize, "datasize.go", "if val > maxUint64/uint64(TB) {", "if val >= maxUint64/uint64(TB) {"},
	{"nine is no digit", matchr, "util.go", "(c > 57)", "(c >= 57)"},
	{"letters change places at the beginning", matchr, "osa.go", "if i > 2 && j > 2 &&", "if i > 1 && j > 1 &&"},
	{"a common prefix of five", edlib, "jaro.go", "prefix = utils.Min(prefix, 4)", "prefix = utils.Min(prefix, 5)"},
	{"at the threshold there is a boost", smetrics, "jaro-winkler.go", "if j <= boostThreshold {", "if j < boostThreshold {"},
	{"one small letter stays small", smetrics, "soundex.go", "if p <= 'z' && p >= 'a' {", "if p < 'z' && p >= 'a' {"},
	{"a tab is no space", stoewer, "helper.go", "ch == ' ' || ch == '\\t' || ch == '\\n' || ch == '\\r'", "ch == ' ' || ch == '\\n' || ch == '\\r'"},
	{"a lone mark at the end is lost", strftime, "strftime.go", "\t\t\tif ni < len(format) {\n\t\t\t\tretval = append(retval, '%')\n\t\t\t}\n", ""},
	{"large letters beyond Latin are none", camelcase, "camelcase.go", "case unicode.IsUpper(r):", "case unicode.IsUpper(r) && r < 256:"},
}

// refactored are edits that keep what a program means. Most put a function of another
// form in the place of one that stays under another name.
var refactored = []edit{
	{"a loop counts in its head", units, "size.go", "for size >= base && i < unitsLimit {\n\t\tsize = size / base\n\t\ti++\n", "for ; size >= base && i < unitsLimit; i++ {\n\t\tsize /= base\n"},
	{"a quotient of a product", units, "duration.go", "hours/24/7", "hours/(24*7)"},
	{"a byte is looked for and not a rune", shellquote, "quote.go", `strings.IndexRune(word, '\'')`, `strings.IndexByte(word, '\'')`},
	{"a buffer with room", wordwrap, "wordwrap.go", "make([]byte, 0, len(s))", "make([]byte, 0, len(s)+len(s)/8)"},
	{"a short list is searched from its start", radix, "radix.go", "func (n *node) getEdge(", `func (n *node) getEdge(label byte) *node {
	for i := range n.edges {
		if n.edges[i].label == label {
			return n.edges[i].node
		}
	}
	return nil
}

func (n *node) searchEdge(`},
	{"a common prefix by another loop", radix, "radix.go", "func longestPrefix(", `func longestPrefix(a, b string) (n int) {
	if len(a) > len(b) {
		a, b = b, a
	}
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return n
}

func prefixBefore(`},
	{"room for the first branches", radix, "radix.go", "root: &node{}", "root: &node{edges: make(edges, 0, 4)}"},
	{"a range over bytes", match, "match.go", "func IsPattern(", `func IsPattern(text string) bool {
	for _, b := range []byte(text) {
		switch b {
		case '*', '?':
			return true
		}
	}
	return false
}

func isPatternBefore(`},
	{"a case as a closed range", xstrings, "count.go", `'\uFF61' <= r && r < '\uFFA0'`, `r >= '\uFF61' && r <= '\uFF9F'`},
	{"two texts joined without a builder", xstrings, "convert.go", "func FirstRuneToUpper(", `func FirstRuneToUpper(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	if n == 0 || !unicode.IsLower(first) {
		return s
	}
	return string(unicode.ToUpper(first)) + s[n:]
}

func upperBefore(`},
	{"words without a builder for each", xstrings, "format.go", "for i := 0; i < repeats; i++ {", "for ; repeats > 0; repeats-- {"},
	{"keys gathered from the other end", lru, "simplelru/lru.go", "func (c *LRU) Keys()", `func (c *LRU) Keys() []interface{} {
	all := make([]interface{}, len(c.items))
	at := c.evictList.Len() // NaN is no key that can be deleted: it stays in the table
	for e := c.evictList.Front(); e != nil; e = e.Next() {
		at--
		all[at] = e.Value.(*entry).key
	}
	return all
}

func (c *LRU) keysBefore()`},
	{"a look into a map by its value", lru, "simplelru/lru.go", "func (c *LRU) Contains(", `func (c *LRU) Contains(key interface{}) bool { return c.items[key] != nil }

func (c *LRU) containsBefore(`},
	{"bits set one by one", cron, "parser.go", "func getBits(", `func getBits(low, high, step uint) (bits uint64) {
	for at := low; at <= high; at += step {
		bits |= uint64(1) << at
	}
	return bits
}

func bitsBefore(`},
	{"a nil map is read", cron, "parser.go", "func parseIntOrName(", `func parseIntOrName(text string, names map[string]uint) (uint, error) {
	if n, known := names[strings.ToLower(text)]; known {
		return n, nil
	}
	return mustParseInt(text)
}

func parseBefore(`},
	{"a version written without a format", semver, "version.go", "func (v Version) String()", `func (v Version) String() string {
	text := strconv.FormatUint(v.major, 10) + "." + strconv.FormatUint(v.minor, 10) + "." + strconv.FormatUint(v.patch, 10)
	if v.pre != "" {
		text += "-" + v.pre
	}
	if v.metadata != "" {
		text += "+" + v.metadata
	}
	return text
}

func (v Version) stringBefore()`},
	{"not greater for less or equal", semver, "version.go", "return v.Compare(o) <= 0", "return !v.GreaterThan(o)"},
	{"bits counted word by word", bitset, "bitset.go", "func (b *BitSet) Count()", `func (b *BitSet) Count() uint {
	if b == nil {
		return 0
	}
	n := 0
	for _, word := range b.set {
		n += bits.OnesCount64(word)
	}
	return uint(n)
}

func (b *BitSet) countBefore()`},
	{"a digit from a table", pretty, "pretty.go", "func hexp(", `func hexp(digit byte) byte { return "0123456789abcdef"[digit] }

func hexBefore(`},
	{"a copy by append", inflection, "inflections.go", "func GetUncountable()", `func GetUncountable() []string { return append([]string{}, uncountableInflections...) }

func uncountableBefore()`},
}
