"""Draw the figure of the README from the demo: ``python docs/figure.py``."""

from pathlib import Path

from matplotlib.figure import Figure

from quantext.reports.demo import run_demo
from quantext.reports.plots import save_figure

TOPICS = ("battery life", "waiting time on the phone")


def draw() -> Figure:
    """True and estimated shares of two topics, week by week."""
    demo = run_demo()
    figure = Figure(figsize=(9, 3.2), layout="constrained")
    for axes, topic in zip(figure.subplots(1, 2, sharey=True), TOPICS, strict=True):
        k = demo.corpus.classes.index(topic)
        weeks = range(9, 9 + len(demo.weeks))
        axes.axhline(demo.p_train[k], color="grey", linestyle="--", linewidth=1, label="training")
        counted, ours = demo.p_hat["CC"][:, k], demo.p_hat["Adaptive"][:, k]
        axes.plot(weeks, counted, color="#d55e00", linewidth=1.3, label="classify and count")
        bounds = demo.low[:, k], demo.high[:, k]
        axes.fill_between(weeks, *bounds, color="#0072b2", alpha=0.2, linewidth=0, label="95%")
        axes.plot(weeks, ours, color="#0072b2", linewidth=1.6, label="quantext")
        axes.plot(weeks, demo.p_true[:, k], color="black", linewidth=1.6, label="truth")
        axes.set_title(f"“{topic}”", fontsize=10)
        axes.set_xlabel("week")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, fontsize=8)
    return figure


if __name__ == "__main__":
    save_figure(draw(), Path(__file__).with_name("demo"), ["svg"])
