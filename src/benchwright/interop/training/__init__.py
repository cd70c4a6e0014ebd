"""Training data in the formats of trainers: types of rows, a contract check, files with a card."""
