"""Pages of runs for a team: live runs, leaderboards, and a static copy of both."""
