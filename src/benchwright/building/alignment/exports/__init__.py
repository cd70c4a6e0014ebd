"""Training exports: recipes that make rows of training data from a release, runs and builds."""
