"""Input: files, folders and standard input; lines; index of documents."""
