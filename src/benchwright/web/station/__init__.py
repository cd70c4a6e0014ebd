"""The judging station: web pages on which people judge answers of runs, blind and by keyboard."""
