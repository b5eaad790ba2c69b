"""An OpenAI-compatible server that writes environments: it reads the prompt, answers it, and makes known mistakes."""
