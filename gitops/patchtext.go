package gitops

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"strings"

	"atoll/store/record"
)

// PatchText writes the difference of two trees as a patch that git apply takes:
// complete, binary files included, moves as one file less and one more. Equal
// trees give nothing.
func (r *Repo) PatchText(ctx context.Context, a, b record.Hash) ([]byte, error) {
	diffs, err := r.DiffTrees(ctx, a, b)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for _, d := range diffs {
		old, now, err := r.load(ctx, d)
		if err != nil {
			return nil, fmt.Errorf("compare %q: %w", d.Path, err)
		}
		if d.OldExist && d.NewExist && kindOf(d.OldMode) != kindOf(d.NewMode) {
			// A file that becomes a link is two patches to git apply.
			gone, come := d, d
			gone.NewExist, gone.NewMode, gone.NewHash = false, 0, record.Hash{}
			come.OldExist, come.OldMode, come.OldHash = false, 0, record.Hash{}
			writePatch(&out, gone, old, side{})
			writePatch(&out, come, side{}, now)
			continue
		}
		writePatch(&out, d, old, now)
	}
	return out.Bytes(), nil
}

// writePatch writes the patch of one file.
func writePatch(out *bytes.Buffer, d record.FileDiff, old, now side) {
	fmt.Fprintf(out, "diff --git %s %s\n", quotePath("a/"+d.Path), quotePath("b/"+d.Path))
	mode := ""
	switch {
	case !d.OldExist:
		fmt.Fprintf(out, "new file mode %06o\n", d.NewMode)
	case !d.NewExist:
		fmt.Fprintf(out, "deleted file mode %06o\n", d.OldMode)
	case d.OldMode != d.NewMode:
		fmt.Fprintf(out, "old mode %06o\nnew mode %06o\n", d.OldMode, d.NewMode)
	default:
		mode = fmt.Sprintf(" %06o", d.NewMode)
	}
	if d.OldHash == d.NewHash {
		return
	}
	fmt.Fprintf(out, "index %s..%s%s\n", d.OldHash, d.NewHash, mode)
	p := patchOf(d, old, now, 3)
	if p.Binary {
		out.WriteString("GIT binary patch\n")
		writeLiteral(out, now.data)
		writeLiteral(out, old.data)
		return
	}
	if len(p.Hunks) == 0 {
		return // an empty file came or went
	}
	from, to := quotePath("a/"+d.Path), quotePath("b/"+d.Path)
	if !d.OldExist {
		from = "/dev/null"
	}
	if !d.NewExist {
		to = "/dev/null"
	}
	// A tab ends a name with a space in it, as git writes it.
	fmt.Fprintf(out, "--- %s%s\n+++ %s%s\n", from, tabAfter(from), to, tabAfter(to))
	for _, h := range p.Hunks {
		h.write(out)
	}
}

func tabAfter(name string) string {
	if strings.Contains(name, " ") && !strings.HasPrefix(name, `"`) {
		return "\t"
	}
	return ""
}

// write writes a hunk in unified form.
func (h Hunk) write(out *bytes.Buffer) {
	count := func(start, lines int) string {
		if lines == 1 {
			return fmt.Sprint(start)
		}
		return fmt.Sprintf("%d,%d", start, lines)
	}
	fmt.Fprintf(out, "@@ -%s +%s @@\n", count(h.OldStart, h.OldLines), count(h.NewStart, h.NewLines))
	for _, l := range h.Lines {
		out.WriteByte(byte(l.Kind))
		out.WriteString(l.Text)
		out.WriteByte('\n')
		if l.NoEOL {
			out.WriteString("\\ No newline at end of file\n")
		}
	}
}

// quotePath writes a path as git does: between quotes with octal escapes when
// it has bytes that are not plain ASCII.
func quotePath(p string) string {
	plain := true
	for i := 0; i < len(p); i++ {
		if p[i] < ' ' || p[i] >= 0x7f || p[i] == '"' || p[i] == '\\' {
			plain = false
		}
	}
	if plain {
		return p
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(p); i++ {
		switch c := p[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// base85 is git's alphabet for binary patches.
const base85 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

// writeLiteral writes content as one side of a binary patch: compressed, 52
// bytes a line, each line with a letter for its length in front.
func writeLiteral(out *bytes.Buffer, data []byte) {
	fmt.Fprintf(out, "literal %d\n", len(data))
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(data) // into memory
	_ = z.Close()
	for rest := packed.Bytes(); len(rest) > 0; {
		n := min(len(rest), 52)
		if n <= 26 {
			out.WriteByte('A' + byte(n) - 1)
		} else {
			out.WriteByte('a' + byte(n) - 27)
		}
		for i := 0; i < n; i += 4 {
			var word uint32
			for j := range 4 {
				word <<= 8
				if i+j < n {
					word |= uint32(rest[i+j])
				}
			}
			var digits [5]byte
			for j := 4; j >= 0; j-- {
				digits[j] = base85[word%85]
				word /= 85
			}
			out.Write(digits[:])
		}
		out.WriteByte('\n')
		rest = rest[n:]
	}
	out.WriteByte('\n')
}
