package engine

import (
	"context"

	"atoll/engine/doctor"
	"atoll/engine/view"
)

// Doctor checks what o names and the state directory of it.
func Doctor(ctx context.Context, o doctor.Options) []view.CheckLine {
	o.Running = Running(o.State)
	return doctor.Check(ctx, o)
}
