"""The workbench: adjudication and live reports, served on this machine only."""
