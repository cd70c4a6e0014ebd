"""Makes the demo's data, once: tasks, pairs and the answers of three made-up models, all written here."""
