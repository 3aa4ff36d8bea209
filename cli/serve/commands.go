package serve

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"atoll/cli/door"
)

// steer registers what decides.
func steer(api huma.API, d *door.Door) {
	huma.Register(api, huma.Operation{
		Method: http.MethodPost, Path: prefix + "/commands", OperationID: "command", Summary: "Decide: a verb of the command line",
		Description: "The decision is a row of the log when the answer comes, signed with the name of the token; its effect follows through events. approve, reject, freeze and most others can be taken back with undo.",
		Security:    []map[string][]string{{"token": {}}}, MaxBodyBytes: bodyLimit, Errors: tells,
	}, func(ctx context.Context, in *answer[door.Command]) (*answer[door.Done], error) {
		ctx, cancel := context.WithTimeout(ctx, answerTime)
		defer cancel()
		done, err := d.Do(ctx, callerOf(ctx), in.Body)
		if err != nil {
			return nil, problem(err)
		}
		return &answer[door.Done]{done}, nil
	})
}
