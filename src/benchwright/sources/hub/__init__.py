"""Models that a Hugging Face Hub lists, with their cards, by huggingface_hub on a guarded connection."""
