"""The command ``demo``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quantext.cli.contents import columns_of
from quantext.cli.outputs import PAGE, Force, Kind, Output, check_folder, check_outputs
from quantext.cli.progress import describe
from quantext.cli.terminal import open_console, pasted, plain, say

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from rich.console import Console

    from quantext.reports.demo import Demo

__all__ = ["demo"]


def demo(
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where the survey and the report go.")
    ] = Path("quantext-demo"),
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same survey.")] = 0,
    force: Force = False,
) -> None:
    """Show what quantext does, on a survey that it makes up.

    For example:

      quantext demo

      quantext demo --out elsewhere --seed 7
    """
    from quantext.reports.demo import TABLES, run_demo, write_demo

    check_files(out, force=force)
    console = open_console()
    console.print("How many customers complain about what, this week?", style="bold")
    console.print(
        "A survey asks the buyers of a phone what they think of it. The answers of the\n"
        "first weeks were read and coded by hand. From them, quantext estimates the\n"
        "share of each topic in every later week, whose answers nobody has coded.\n"
        "The survey is made up, so here the truth is known.\n"
    )
    with console.status("Starting...") as status:
        result = run_demo(
            seed=seed, progress=lambda *progress: status.update(plain(describe(*progress)))
        )
    show_demo(result, console)
    with console.status("Writing the report, with intervals..."):
        files = write_demo(result, out)
    coded, later, judged = (pasted([str(files[name])]) for name in TABLES)
    say(
        "",
        f"A page to look at, with intervals: {files['report.html']}",
        "To do the same by hand, on these answers or on your own:",
        "",
        f"  quantext train {coded} --text answer --label topics \\",
        '      --separator "; " --model topics.qx',
        f"  quantext estimate topics.qx {later} --text answer \\",
        "      --by week --period month",
        "",
        "And 5,000 answers that a made-up language model has judged, 300 of them checked",
        "by hand: how many are negative? Not as many as it says:",
        "",
        f"  quantext correct {judged} --proxy model \\",
        "      --truth checked --design srs",
    )


def check_files(folder: Path, *, force: bool = False) -> None:
    """Raise if a file of the demo would take the place of somebody's."""
    from quantext.reports.demo import TABLES

    check_folder(folder, (), ())
    if not folder.exists():
        return
    outputs = [Output(folder / "report.html", PAGE)]
    ours = Kind("table of the demo", lambda path: columns_of(path) == [*TABLES[path.name]])
    outputs += [Output(folder / name, ours) for name in TABLES]
    check_outputs(outputs, (), force=force)


def show_demo(demo: "Demo", console: "Console") -> None:
    """Print a few answers, the last week's estimates, a trend, and the error of each method."""
    import numpy as np
    from rich.table import Table

    corpus = demo.corpus
    assert corpus.labels is not None
    console.print(f"Three of the {len(corpus):,} answers, and their topics:")
    for text, topics in list(zip(corpus.texts, corpus.labels, strict=True))[3:300:120]:
        console.print(f"  “{text}”", style="italic", highlight=False)
        console.print(f"   → {', '.join(topics) or 'none of the topics'}\n", highlight=False)

    console.print(
        f"Trained on {demo.n_train:,} answers with {demo.n_terms:,} distinct terms. Of the "
        f"{len(demo.weeks)} weeks after that,\nthe last one ({demo.weeks[-1]}), share of each "
        "topic in %:\n",
        highlight=False,
    )
    from quantext.models.methods import DEFAULT_METHOD

    methods = [DEFAULT_METHOD, *(m for m in list(demo.p_hat)[1:] if m != DEFAULT_METHOD)]
    table = Table("topic", box=None, pad_edge=False, header_style="bold")
    for name in ("training", "truth", DEFAULT_METHOD, "95% interval"):
        table.add_column(name, justify="right")
    for k, topic in enumerate(corpus.classes):
        shares = [demo.p_train[k], demo.p_true[-1, k], demo.p_hat[DEFAULT_METHOD][-1, k]]
        bounds = f"{100 * demo.low[-1, k]:.1f} – {100 * demo.high[-1, k]:.1f}"
        table.add_row(topic, *(f"{100 * share:.1f}" for share in shares), bounds)
    console.print(table)

    moved = int(np.argmax(np.ptp(demo.p_true, axis=0)))
    console.print(f"\n“{corpus.classes[moved]}”, the topic that moves most, week by week:\n")
    highest = max(demo.p_true[:, moved].max(), *(demo.p_hat[m][:, moved].max() for m in methods))
    for name, series in [("truth", demo.p_true), *((m, demo.p_hat[m]) for m in methods)]:
        low, high = series[:, moved].min(), series[:, moved].max()
        line = sparkline(series[:, moved], highest)
        console.print(f"  {name:9} {line}  {low:.0%} to {high:.0%}", highlight=False)

    console.print(
        "\nMean error over all weeks and topics (KLD; lower is better), and time to\n"
        f"train and to estimate {len(demo.weeks)} weeks:\n"
    )
    errors = Table("method", box=None, pad_edge=False, header_style="bold")
    errors.add_column("mean KLD", justify="right")
    errors.add_column("seconds", justify="right")
    for name in sorted(demo.p_hat, key=demo.mean_kld):
        errors.add_row(name, f"{demo.mean_kld(name):.2e}", f"{demo.seconds[name]:.2f}")
    console.print(errors)
    console.print(
        "\nTraining prevalence says every week what the training weeks said: the error to\n"
        "beat. CC classifies and counts, PACC corrects the count by known error rates,\n"
        "SVM(KLD) trains its classifier to count right in the first place, Adaptive, the\n"
        "default, weighs how much of each week's drift to believe. Of its 95% intervals,\n"
        f"{demo.covered:.1%} hold the truth here.",
        highlight=False,
    )


def sparkline(values: "NDArray[Any]", highest: float) -> str:
    """A row of blocks as high as the values."""
    blocks = "▁▂▃▄▅▆▇█"
    return "".join(blocks[min(7, int(8 * value / highest))] for value in values)
