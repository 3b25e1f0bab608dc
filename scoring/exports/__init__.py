"""What leaves the application, and how it comes back: one stream of records, written in several formats."""
