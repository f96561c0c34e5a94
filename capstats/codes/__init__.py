"""What labels are, and how columns become integer codes."""
