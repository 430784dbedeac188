"""The same findings in several forms: text for a terminal, JSON for a script, a diff for both."""
