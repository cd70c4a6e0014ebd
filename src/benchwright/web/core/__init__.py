"""What every page of ours needs: application, database, accounts, sessions, a policy. Knows no judging."""
