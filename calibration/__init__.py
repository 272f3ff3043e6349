"""What makes the reader know one physical copy of a game: profiles, teaching and measured accuracy."""
