"""Configuration: files and secrets in, plain values out."""
