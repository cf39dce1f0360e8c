"""Options that take one value are given once: another would win over the first in silence."""

from collections import Counter
from typing import Any

from typer.core import TyperCommand

__all__ = ["OnceCommand"]


class OnceCommand(TyperCommand):
    """A command that refuses an option which is given twice, unless it may be."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Arguments that are left; options are put into the context.

        Parameters
        ----------
        ctx
            Of the command.
        args
            As they were typed.
        """
        if not ctx.resilient_parsing:  # as where the Tab key completes what is half typed
            # The parser names an option as often as it was given, in that order.
            _, _, order = self.make_parser(ctx).parse_args(args=list(args))
            given = Counter(own for own in order if _takes_one_value(own))
            for option in (own for own, times in given.items() if times > 1):
                _refuse(option, args)
        return super().parse_args(ctx, args)


def _takes_one_value(option: Any) -> bool:
    return (
        option.param_type_name == "option"
        and not option.multiple
        and not option.is_flag
        and not option.count
    )


def _refuse(option: Any, args: list[str]) -> None:
    """Raise, with the values."""
    name, values = option.opts[0], []
    for place, argument in enumerate(args):
        own, equals, value = argument.partition("=")
        if own in option.opts:
            following = args[place + 1 : place + 1 + option.nargs]
            values.append(repr(value if equals else " ".join(following)))
    times = "twice" if len(values) == 2 else f"{len(values)} times"
    told = f"{', '.join(values[:-1])} and {values[-1]}"
    raise ValueError(f"{name} is given {times}: {told}; give it once")
