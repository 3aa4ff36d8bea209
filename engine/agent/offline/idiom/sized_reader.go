package idiom

import (
	"go/ast"
	"strings"
)

// readerOf has the reader or the scanner of a short text made with a buffer as long as the text, instead of one
// of 4 KiB, which costs more than to read it. What else is read has the buffer that it had.
func (x *finder) readerOf(n ast.Node) {
	name, c := x.call(n)
	text := map[string]string{"bufio.NewReader": readerText, "bufio.NewScanner": scannerText}[name]
	if text == "" || len(c.Args) != 1 || !x.usable("strings") || !x.usable("bytes") || x.tellsOfBuffers() {
		return
	}
	helper := x.fresh(lower(x.fn.Name.Name) + strings.TrimPrefix(name, "bufio.New"))
	if helper == "" {
		return
	}
	end := x.f.Offset(x.fn.End())
	x.offer("a buffer as long as a short text", n, []string{"bytes", "io", "strings"}, x.replace(c.Fun, helper), Edit{end, end, "\n\n" + strings.ReplaceAll(text, "NAME", helper)})
}

// tellsOfBuffers reports whether the package can tell how large a buffer is, or hands what has one to others.
func (x *finder) tellsOfBuffers() bool {
	for _, method := range []string{"Peek", "Size", "Buffered", "Discard", "Buffer"} {
		if strings.Contains(string(x.src), "."+method+"(") || x.f.Elsewhere == nil || x.f.Elsewhere(method) {
			return true
		}
	}
	tells := false
	ast.Inspect(x.f.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncType:
			tells = tells || n.Results != nil && strings.Contains(x.text(n.Results), "bufio.")
		case *ast.StructType:
			for _, f := range n.Fields.List {
				shown := len(f.Names) == 0
				for _, name := range f.Names {
					shown = shown || name.IsExported()
				}
				tells = tells || shown && strings.Contains(x.text(f.Type), "bufio.")
			}
		}
		return !tells
	})
	return tells
}

// The functions that make them. A reader never meets a full buffer before the end of its text, a
// scanner takes texts as long as before.
const (
	sizeText = `	n := 4096
	switch r := r.(type) {
	case *strings.Reader:
		n = r.Len() + 16
	case *bytes.Reader:
		n = r.Len() + 16
	}
`
	readerText = `// NAME reads by a buffer that is no longer than a short text.
func NAME(r io.Reader) *bufio.Reader {
` + sizeText + `	if n >= 4096 {
		return bufio.NewReader(r)
	}
	return bufio.NewReaderSize(r, n)
}
`
	scannerText = `// NAME scans by a buffer that is no longer than a short text.
func NAME(r io.Reader) *bufio.Scanner {
` + sizeText + `	s := bufio.NewScanner(r)
	if n < 4096 {
		s.Buffer(make([]byte, n), bufio.MaxScanTokenSize)
	}
	return s
}
`
)
