package forge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// Request is a pull request that should be: the branch Head into the branch Base.
type Request struct {
	Title string
	Body  string // Markdown
	Head  string
	Base  string
}

// The bounds of talking to a forge.
const (
	patience   = 60 * time.Second
	answerMost = 1 << 20
)

// Open opens a pull request and returns the address of its page. Errors:
// [ErrRefused], with what the forge said; those of the network.
func (f *Forge) Open(ctx context.Context, r Request) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	open := f.post
	if f.Program != "" {
		open = f.run
	}
	page, err := open(ctx, r)
	if err != nil {
		return "", fmt.Errorf("open a pull request for %s: %w", r.Head, err)
	}
	return page, nil
}

// post asks by HTTP.
func (f *Forge) post(ctx context.Context, r Request) (string, error) {
	path, fields := "/repos/"+f.Project+"/pulls", map[string]string{"title": r.Title, "body": r.Body, "head": r.Head, "base": r.Base}
	if f.Kind == GitLab {
		path = "/projects/" + url.PathEscape(f.Project) + "/merge_requests"
		fields = map[string]string{"title": r.Title, "description": r.Body, "source_branch": r.Head, "target_branch": r.Base}
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.API+path, bytes.NewReader(data))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "atoll")
	switch f.Kind {
	case GitHub:
		req.Header.Set("Accept", "application/vnd.github+json")
		req.Header.Set("Authorization", "Bearer "+f.Token)
	case GitLab:
		req.Header.Set("PRIVATE-TOKEN", f.Token)
	default:
		req.Header.Set("Authorization", "token "+f.Token)
	}
	// A redirect would carry the token elsewhere.
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, answerMost))
	if err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusCreated && resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%w: %s: %s", ErrRefused, resp.Status, said(answer))
	}
	var made struct {
		HTML string `json:"html_url"`
		Web  string `json:"web_url"`
	}
	if err := json.Unmarshal(answer, &made); err != nil || made.HTML+made.Web == "" {
		return "", fmt.Errorf("%w: its answer (%s) names no page: %s", ErrRefused, resp.Status, said(answer))
	}
	return cmp.Or(made.HTML, made.Web), nil
}

// said is the reason in an answer, in one line.
func said(answer []byte) string {
	var failure struct {
		Message any `json:"message"`
		Error   any `json:"error"`
		Errors  []struct {
			Message string `json:"message"`
		} `json:"errors"`
	}
	text := string(answer)
	if err := json.Unmarshal(answer, &failure); err == nil && (failure.Message != nil || failure.Error != nil) {
		text = ""
		for _, part := range []any{failure.Message, failure.Error} {
			if part != nil {
				text += fmt.Sprint(part) + " "
			}
		}
		for _, e := range failure.Errors {
			text += e.Message + " "
		}
	}
	line := strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if len(line) > 400 {
		line = line[:400] + "..."
	}
	return cmp.Or(line, "no reason was given")
}

// page is an address in what a program printed.
var page = regexp.MustCompile(`https?://\S+`)

// Ready looks whether the program that would ask has an account at the forge. It sends
// nothing; of glab it cannot be told that way. Errors: [ErrNobody].
func (f *Forge) Ready(ctx context.Context) error {
	if f.Program == "" || f.Kind != GitHub {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var said bytes.Buffer // the token, which nobody sees, goes nowhere
	cmd := exec.CommandContext(ctx, f.Program, "auth", "token", "--hostname", f.Host)
	cmd.Stderr, cmd.WaitDelay = &said, 5*time.Second
	if err := cmd.Run(); err != nil && strings.Contains(said.String(), "no oauth token") {
		return fmt.Errorf("%w: gh has no account at %s: say `gh auth login --hostname %s`, or put a token into %s", ErrNobody, f.Host, f.Host, tokens[GitHub][0])
	}
	return ctx.Err()
}

// run has gh or glab ask.
func (f *Forge) run(ctx context.Context, r Request) (string, error) {
	where := f.Project
	if f.Host != "github.com" && f.Host != "gitlab.com" {
		where = f.Host + "/" + f.Project
	}
	args := []string{"pr", "create", "--repo", where, "--head", r.Head, "--base", r.Base, "--title", r.Title, "--body-file", "-"}
	if f.Kind == GitLab {
		args = []string{"mr", "create", "--repo", where, "--source-branch", r.Head, "--target-branch", r.Base, "--title", r.Title, "--description", r.Body, "--yes"}
	}
	cmd := exec.CommandContext(ctx, f.Program, args...)
	cmd.Stdin = strings.NewReader(r.Body)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s: %w", ErrRefused, said(out), err)
	}
	found := page.FindAllString(string(out), -1)
	if len(found) == 0 {
		return "", fmt.Errorf("%w: no page in what it printed: %s", ErrRefused, said(out))
	}
	return found[len(found)-1], nil
}
