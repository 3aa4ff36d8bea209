package gitops

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"atoll/store/record"
)

// ExportPatch writes what commit changes against root as one mail with the
// commit's author and message: git am makes a commit of it, git apply changes
// files. root and commit are commits. A note is told in the message: see [Repo.WithNote].
func (r *Repo) ExportPatch(ctx context.Context, root, commit record.Hash, note string) ([]byte, error) {
	text, _, err := r.mail(ctx, root, commit, "PATCH", note)
	if err != nil {
		return nil, fmt.Errorf("export a patch: %w", err)
	}
	return text, nil
}

// PatchFile is one mail of a series under the name that git format-patch would give
// it.
type PatchFile struct {
	Name string
	Text []byte
}

// ExportSeries writes one mail for each step from a commit to the next: git am makes
// the commits of them, in the order of the names. The last one tells the note.
func (r *Repo) ExportSeries(ctx context.Context, commits []record.Hash, note string) ([]PatchFile, error) {
	var files []PatchFile
	for i := 1; i < len(commits); i++ {
		said := ""
		if i == len(commits)-1 {
			said = note
		}
		text, subject, err := r.mail(ctx, commits[i-1], commits[i], fmt.Sprintf("PATCH %d/%d", i, len(commits)-1), said)
		if err != nil {
			return nil, fmt.Errorf("export patch %d of %d: %w", i, len(commits)-1, err)
		}
		files = append(files, PatchFile{fmt.Sprintf("%04d-%s.patch", i, fileName(subject)), text})
	}
	return files, nil
}

// fileName makes of a subject what git format-patch names its files: plain letters,
// digits, dots and underscores between single dashes.
func fileName(subject string) string {
	var b strings.Builder
	for _, c := range subject {
		plain := c < 0x7f && (c == '.' || c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z')
		if !plain {
			c = '-'
		}
		if c == '-' && (b.Len() == 0 || strings.HasSuffix(b.String(), "-")) {
			continue
		}
		if b.WriteRune(c); b.Len() >= 52 {
			break
		}
	}
	return strings.Trim(b.String(), "-.")
}

// mail writes the difference of two commits with the message of the second, and
// returns its subject.
func (r *Repo) mail(ctx context.Context, root, commit record.Hash, label, note string) (text []byte, subject string, err error) {
	from, err := r.Commit(ctx, root)
	if err != nil {
		return nil, "", err
	}
	to, err := r.Commit(ctx, commit)
	if err != nil {
		return nil, "", err
	}
	patch, err := r.PatchText(ctx, from.Tree, to.Tree)
	if err != nil {
		return nil, "", err
	}
	subject, body, _ := strings.Cut(strings.TrimSpace(noted(to.Message, note)), "\n")
	var out bytes.Buffer
	fmt.Fprintf(&out, "From %s Mon Sep 17 00:00:00 2001\nFrom: %s\nDate: %s\nSubject: [%s] %s\n",
		plumbing.Hash(commit), to.Author, to.Time.Format("Mon, 2 Jan 2006 15:04:05 -0700"), label, subject)
	out.WriteString("MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n\n")
	if body = strings.TrimSpace(body); body != "" {
		fmt.Fprintf(&out, "%s\n\n", mailSafe(body))
	}
	fmt.Fprintf(&out, "---\n\n")
	out.Write(patch)
	out.WriteString("-- \natoll\n")
	return out.Bytes(), subject, nil
}

// mailSafe indents lines of a message that git am would take for the start of
// the patch.
func mailSafe(body string) string {
	lines := strings.Split(body, "\n")
	for i, l := range lines {
		for _, start := range []string{"---", "diff ", "Index: ", "From ", ">From "} {
			if strings.HasPrefix(l, start) {
				lines[i] = " " + l
			}
		}
	}
	return strings.Join(lines, "\n")
}

// noted is a message with a note between its subject and the rest of it.
func noted(message, note string) string {
	if note == "" {
		return message
	}
	subject, rest, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return strings.TrimSpace(subject+"\n\n"+strings.TrimSpace(note)+"\n\n"+strings.TrimSpace(rest)) + "\n"
}
