"""People as judges: what they are shown, what they say of it, and what follows from several of them."""
