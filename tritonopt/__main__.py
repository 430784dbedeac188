"""`python -m tritonopt` is `tritonopt`."""

from tritonopt.cli.main import entry

if __name__ == "__main__":
    entry()
