"""The commands: one file each. To add a command, add a file that ends in its `command`."""
