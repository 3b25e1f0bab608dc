"""What the pages of the whole show."""
