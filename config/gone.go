package config

// gone returns the keys that an earlier atoll took although nothing read them,
// each with the reason why it is refused now. Configurations that were stored in
// those days still hold them; there they are passed over.
func gone() map[string]string {
	const embed = "the map is learned with the built-in embedder; embeddings of a server are not built yet, so leave this key out"
	return map[string]string{"map.embedder": embed, "map.embed_url": embed, "map.embed_model": embed}
}
