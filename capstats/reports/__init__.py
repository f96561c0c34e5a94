"""What reports are made of: blocks that become text or HTML, and how a call is repeated as a command, in Python or by a configuration."""
