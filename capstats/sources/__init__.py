"""Whatever holds records: data frames, files, databases; each answers with distinct rows and their counts."""
