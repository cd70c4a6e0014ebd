"""`openai:NAME`: any server that speaks OpenAI's chat or completions interface."""
