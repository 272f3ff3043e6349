"""Any other game: a board that the players describe, and points for each piece."""
