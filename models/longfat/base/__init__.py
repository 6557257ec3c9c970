"""What every other room may use: quantities, domains, files, extras, discovery, progress, users' files."""
