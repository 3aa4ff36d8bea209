package guard

import "context"

func (c *check) python(context.Context) error { return nil }
