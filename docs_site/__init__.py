"""What makes the documentation a site: the reference out of the code, and links that leave `docs/`."""
