"""Files and folders of answers that somebody has stored: which shape they have, and the answers in them."""
