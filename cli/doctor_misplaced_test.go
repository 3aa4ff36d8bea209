package cli

import (
	"errors"
	"strings"
	"testing"

	"atoll/gitops"
)

func TestDoctorTellsWhatHelpsWhereThereIsNoRepositoryToWorkWith(t *testing.T) {
	for name, c := range map[string]struct {
		err          error
		detail, cure string
	}{
		"no commit yet": {&gitops.Refusal{Path: "/r", Kind: gitops.ErrUnborn, Reason: "HEAD names no commit yet", Next: "commit something first"}, "cannot use /r: HEAD names no commit yet", "commit something first"},
		"no repository": {&gitops.Refusal{Path: "/r", Kind: gitops.ErrNotRepository, Reason: "there is none", Next: "name one"}, "cannot use /r: there is none; name one", "--repo"},
		"another error": {errors.New("no space left"), "no space left", "--repo"},
	} {
		if l := misplaced(c.err); l.OK || l.Detail != c.detail || !strings.Contains(l.Cure, c.cure) {
			t.Errorf("%s: %+v", name, l)
		}
	}
}
