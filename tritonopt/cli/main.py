"""`tritonopt COMMAND ...`: which command, and what every command has in common."""

from __future__ import annotations

import argparse
import gc
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, NoReturn

from tritonopt import __version__, install_command
from tritonopt.cli.configuration import ConfigurationError, take_jit_decorators

OK, FOUND, ERROR, INCONCLUSIVE, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 3, 130, 141
"""Exit codes: done; would change, or a counterexample; error; no verdict; Ctrl-C; nobody reads."""

_MANY_OBJECTS = 100_000

_COMMANDS = {
    "rewrite": "rewrite the kernels of files; prints a diff, or replaces the files",
    "suggest": "print mistakes and profitable rewrites; changes nothing (alias: check)",
    "explain": "explain a pass, a reason or a word, or the conditions of a rewrite in a line",
    "verify": "run an original and a rewritten file on generated inputs and compare the results",
    "bench": "time one or two versions of a file on the GPU, call by call",
    "tune": "find verified changes that are faster on this GPU for given shapes",
    "passes": "list the passes",
    "facts": "print the facts about the kernels of a file",
    "mcp": "serve verify, bench, suggest and explain to agents (Model Context Protocol)",
    "clean": "delete the cache of suggest and rewrite",
    "new-pass": "create a new pass in a checkout: its file, its page, its cases, its entry point",
}

_HOMES = {"clean": "answers"}
"""Modules of commands that have another name than the command."""

_COMPLETION = "--print-completion"
_SHELLS = ("bash", "zsh")
_FILES = ("PATH", "FILE", "FILE.html", "ORIGINAL", "REWRITTEN", "BEFORE", "AFTER")

_ALIASES = {"check": "suggest"}

_ABOUT_FILES = frozenset({"explain", "verify", "bench", "tune", "facts"})
"""Commands that read files, but not all that a configuration says of them."""

_TAKE_A_COMMAND = frozenset({"rewrite", "suggest", "verify", "bench", "tune"})
"""Commands after which a command of the user's may stand, behind `--`."""

_EPILOG = """\
exit codes:
  0  done, or nothing to do
  1  something would change (rewrite --check), was dropped (rewrite --verify) or is suggested
     (suggest); a counterexample (verify); a tuned change is no longer faster (tune --check)
  2  an error, or nothing could be timed (bench, tune)
  3  neither a yes nor a counterexample (verify)
"""


def entry() -> NoReturn:
    """The console script."""
    if sys.stdout is None:  # closed by the caller: there is nobody to print to
        sys.stdout = io.StringIO()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A name that the terminal cannot show is no reason to stop. (stderr is like this already.)
        sys.stdout.reconfigure(errors="backslashreplace")
    # Syntax trees and facts are made by the hundred thousand and kept: to look through the young
    # ones after each 700, as is usual, takes a tenth of the time and finds nothing.
    gc.set_threshold(_MANY_OBJECTS)
    sys.exit(main())


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    given = sys.argv[1:] if argv is None else list(argv)
    given[:1] = (_ALIASES.get(name, name) for name in given[:1])
    try:
        # argparse leaves by SystemExit: 0 after --help, 2 for what it cannot read.
        own, shadowed = _before_dashes(given)
        arguments = _parser(own).parse_args(own)
        arguments.shadowed = shadowed
        arguments.given = given
        if arguments.command in _ABOUT_FILES:
            take_jit_decorators(arguments)
        code = int(_module(arguments.command).run(arguments))
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print("tritonopt: interrupted; no file was left half written", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # `tritonopt ... | head` is no error of anyone's.
        _abandon_stdout()
        return PIPE_CLOSED
    except ConfigurationError as error:
        return complain(str(error))
    except OSError as error:
        _abandon_stdout()
        return complain(str(error))
    except Exception:
        # Exit code 1 means "would change", so nothing of ours may leave with it.
        import traceback

        traceback.print_exc()
        complain(
            f"this is a bug in tritonopt {__version__}; please report it with the command and "
            f"the lines above"
        )
        return ERROR


def _before_dashes(given: list[str]) -> tuple[list[str], list[str]]:
    """Our own arguments, and the user's command that some commands take after `--`."""
    if not (given and given[0] in _TAKE_A_COMMAND and "--" in given):
        return given, []
    at = given.index("--")
    return given[:at], given[at + 1 :]


def _abandon_stdout() -> None:
    """What is still buffered goes nowhere; else the interpreter would fail on it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(message: str) -> int:
    """Say what went wrong, and return the exit code for it."""
    print(f"tritonopt: error: {message}", file=sys.stderr)
    return ERROR


def _parser(argv: Sequence[str] | None) -> argparse.ArgumentParser:
    """The parser; only the command that was named is imported to add its arguments, all of them
    where `argv` is None."""
    parser = argparse.ArgumentParser(
        prog="tritonopt",
        description="A source-to-source optimizer for Triton kernels.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    version = f"tritonopt {__version__}"
    parser.add_argument(
        _COMPLETION,
        choices=_SHELLS,
        action=_Completion,
        help="print what completes commands and options in this shell (needs shtab), as for "
        'eval "$(tritonopt --print-completion bash)"',
    )
    parser.add_argument("-V", "--version", action="version", version=version)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    named = next((argument for argument in argv or () if not argument.startswith("-")), "")
    named = "" if argv and argv[0] == _COMPLETION else named
    if named and named not in _COMMANDS:
        parser.error(_unknown(named))
    for name, summary in _COMMANDS.items():
        command = commands.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        if name == named or argv is None:
            _module(name).add_arguments(command)
    return parser


class _Completion(argparse.Action):
    """Prints the completion of a shell, for which every command has to be imported."""

    def __call__(self, parser: argparse.ArgumentParser, *given: Any) -> NoReturn:
        try:
            import shtab
        except ModuleNotFoundError:
            parser.error(f"--print-completion needs shtab: {install_command('completion')}")
        whole = _parser(None)
        for commands in whole._actions:
            if isinstance(commands, argparse._SubParsersAction):
                for action in (one for each in commands.choices.values() for one in each._actions):
                    if action.metavar in _FILES:
                        action.complete = shtab.FILE
        print(shtab.complete(whole, shell=given[1]))
        parser.exit()


def _unknown(named: str) -> str:
    """What is wrong with a command that there is not, and what to write instead."""
    from tritonopt.rewriting.options import nearest

    hint = nearest(named, [*_COMMANDS, *_ALIASES])
    if hint:
        return f"there is no command {named!r}; {hint}"
    if os.path.exists(named):
        return f"there is no command {named!r}; to look for rewrites: tritonopt suggest {named}"
    return f"there is no command {named!r}; the commands are {', '.join(_COMMANDS)}"


def _module(command: str) -> ModuleType:
    return import_module(f"tritonopt.cli.{_HOMES.get(command, command.replace('-', '_'))}")
