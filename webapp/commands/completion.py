"""The command ``completion``: lets a shell complete commands, options, boards and profiles."""

import click

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print what lets SHELL complete commands, options, boards and profiles.

    \b
        eval "$(tallystone completion bash)"             in ~/.bashrc
        eval "$(tallystone completion zsh)"              in ~/.zshrc
        tallystone completion fish | source              in ~/.config/fish/config.fish
    """
    from click.shell_completion import get_completion_class

    root = click.get_current_context().find_root()
    kind = get_completion_class(shell)
    assert kind is not None
    click.echo(kind(root.command, {}, "tallystone", "_TALLYSTONE_COMPLETE").source())
