"""The workbench: adjudication of annotators, and pages served on this machine only."""
