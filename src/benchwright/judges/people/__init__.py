"""People as judges: the items they see, their votes, and the results of several votes."""
