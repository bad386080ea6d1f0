"""Where bytes come from: files, folders, standard input; their lines, and an index of documents."""
