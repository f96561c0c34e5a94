"""Attackers beside CAP: who was in the data, what is the one thing unknown, and what a fitted model guesses."""
