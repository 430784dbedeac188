"""The report that a person looks at: findings as one HTML file that needs nothing beside it."""
