"""Pages that people work with: a layer between the reports and the command line, in the extra `web`."""
