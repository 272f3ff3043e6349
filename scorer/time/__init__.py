"""Turn of Time: cards of two seasons laid beside each other, which turn each other over."""
