"""Pages of the whole: login, start page, account, people, errors."""
