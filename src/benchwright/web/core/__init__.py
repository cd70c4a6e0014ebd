"""The core of a web application: database, accounts, sessions, access control. It does not know judging."""
