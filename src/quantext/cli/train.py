"""The command ``train``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from quantext.cli.common import (
    Data,
    Emoji,
    Encoding,
    FormatOption,
    HeaderRow,
    Json,
    MergeLabels,
    ProxyColumns,
    Quiet,
    Separator,
    Sheet,
    Stemmer,
    StopWords,
    WhereOption,
    data_files,
    given_options,
    opening_of,
    reading_notes,
    warn,
    word_options,
    words_file,
)
from quantext.cli.methods import complete_method
from quantext.cli.outputs import MODEL, Force, Output, check_outputs
from quantext.cli.progress import working
from quantext.cli.terminal import pasted, say
from quantext.cli.train_questions import Learned, ask_columns, print_again
from quantext.wording import fit_width, listed

if TYPE_CHECKING:
    from quantext.experiments.search import SearchQ
    from quantext.models.train import Training
    from quantext.texts.corpus import Corpus

__all__ = ["train"]

SHOWN = 20  # classes in the table


def train(
    context: typer.Context,
    data: Data,
    *,
    text: Annotated[
        list[str] | None,
        typer.Option(metavar="COL", help="Column of the texts; give it twice to join two."),
    ] = None,
    proxy: ProxyColumns = None,
    label: Annotated[str | None, typer.Option(metavar="COL", help="Column of the labels.")] = None,
    separator: Separator = None,
    merge_labels: MergeLabels = False,
    where: WhereOption = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="As `quantext methods` lists them.",
            autocompletion=complete_method,
        ),
    ] = None,
    model: Annotated[Path, typer.Option(metavar="FILE", help="Where the model goes.")] = Path(
        "model.qx"
    ),
    stemmer: Stemmer = "porter",
    stop_words: StopWords = "none",
    emoji: Emoji = False,
    min_df: Annotated[
        int, typer.Option(min=1, help="Words in fewer training documents are passed over.")
    ] = 1,
    folds: Annotated[
        int | None,
        typer.Option(
            min=0, help="Of the cross-validation; 0 is fast, where the method can do without."
        ),
    ] = None,
    search: Annotated[
        bool,
        typer.Option(
            "--search",
            help="Try several strengths of the classifier (its C) on batches drawn from your "
            "documents, and take the one that counts best.",
        ),
    ] = False,
    protocol: Annotated[
        Literal["uniform", "natural"] | None,
        typer.Option(
            help="Of --search: batches may have any shares, as by default, or shares that differ "
            "by chance alone.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same model.")] = 0,
    format: FormatOption = None,  # noqa: A002 (it is the option's name)
    encoding: Encoding = None,
    sheet: Sheet = None,
    header_row: HeaderRow = None,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Learn from labelled documents, and write a model file.

    Every row is a document. It has one label or, with --separator or lists
    in JSON Lines and Parquet, any number of them.

    With --proxy no texts are read but what a model has said of the documents,
    and what is learned from those with a label is how far to believe it. Rows
    without a label are left out.

    Without --text or --label it looks at the table as `quantext look` does and,
    in a terminal, asks.

    For example:

      quantext train coded.csv

      quantext train coded.csv --text answer --label topic

      quantext train coded.csv --text answer --label topics --separator ";"

      quantext train "2024-*.jsonl.gz" --text title --text body --label tags

      quantext train coded.csv --text answer --label reason --where mood=bad

      quantext train coded.csv --text answer --label topic --search

      quantext train gold.csv --proxy model --label truth --model judge.qx
    """
    if proxy:
        words = {"--text": text, "--search": search, "--stemmer": stemmer != "porter"}
        words |= {"--stop-words": stop_words != "none", "--emoji": emoji, "--min-df": min_df > 1}
        _refuse_words(words)
    if protocol and not search:
        raise ValueError("--protocol is for --search: it says on which batches settings are tried")
    files = data_files(data, format)
    check_outputs([Output(model, MODEL, "--model")], (*files, words_file(stop_words)), force=force)
    asked = Learned(text, proxy, label, separator, stemmer)
    again = None
    opening = opening_of(format, encoding, sheet, header_row)
    if not asked.complete:
        with reading_notes(quiet=True):  # the reading of all says it again
            asked, again = ask_columns(context, asked, files, opening, silent=quiet or json)
    text, label, separator = asked.text, str(asked.label), asked.separator
    with reading_notes(quiet) as notes, working(quiet, "Starting") as progress:
        progress(f"reading {', '.join(files)}", 0, None)

        from quantext.models.save import save
        from quantext.texts.reading import read_corpus
        from quantext.texts.where import read_where

        meant = read_where(where or ())
        corpus = read_corpus(
            files,
            text=text or (),
            proxy=proxy or (),
            label=label,
            separator=separator,
            format=format,
            encoding=encoding,
            merge_labels=merge_labels,
            where=meant,
            sheet=sheet,
            header_row=header_row,
        )
        progress(f"training on {len(corpus):,} documents", 0, None)
        options: dict[str, Any] = {"name": method, "folds": folds, "seed": seed}
        if not proxy:
            from quantext.models.methods import DEFAULT_METHOD
            from quantext.vectors.ltc import LtcVectorizer

            options["name"] = method or DEFAULT_METHOD
            options["vectorizer"] = LtcVectorizer(
                **word_options(asked.stemmer, stop_words, emoji), min_df=min_df, n_jobs=-1
            )
        if search:
            options |= {"protocol": protocol or "uniform", "progress": progress}
        training, found, warnings = _train(corpus, proxy, search, options)
        progress(f"writing {model}", 0, None)
        about = _about(training, found, files, text, label, separator)
        about |= {"where": meant.options} if meant else {}
        save(training.model, model, about=about)
    warn(warnings, quiet)
    if json:
        _print_json(training, found, model, [*notes, *warnings], proxy, about)
    else:
        if found is not None:
            _print_search(found)
        given = [
            *given_options(opening).items(),
            *(
                ("where", own)
                for own in meant.options
                if not own.startswith((f"{label}=", f"{label}!="))
            ),
        ]
        _print_table(training, model, data, proxy or [], given)
    if again is not None:
        print_again(again)


def _refuse_words(given: dict[str, Any]) -> None:
    """Raise if an option was given that is for texts, where none are read."""
    for option in (name for name, value in given.items() if value):
        raise ValueError(f"{option} is for texts, and with --proxy none are read; choose one")


def _train(
    corpus: "Corpus", proxy: list[str] | None, search: bool, options: dict[str, Any]
) -> tuple["Training", "SearchQ | None", list[str]]:
    """The training, the search if there was one, and all warnings."""
    import warnings

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if search:
            from quantext.experiments.search.usual import search_and_train

            training, found = search_and_train(corpus, **options)
        elif proxy:
            from quantext.models.proxy import train_proxy

            training, found = train_proxy(corpus, proxy, **options), None
        else:
            from quantext.models.train import train

            training, found = train(corpus, **options), None
    # One for each class that did not converge, word for word the same.
    return training, found, [*training.warnings, *dict.fromkeys(str(w.message) for w in caught)]


def _about(
    training: "Training",
    search: "SearchQ | None",
    files: list[str],
    text: list[str] | None,
    label: str,
    separator: str | None,
) -> dict[str, Any]:
    """What the model file remembers beside the model."""
    from datetime import date

    chosen = {} if search is None else search.best_params_
    facts = {
        "text": text,
        "label": label,
        "separator": separator,
        "method": training.method,
        "chosen": [f"{name}={value}" for name, value in chosen.items()] or None,
        "files": ["standard input" if file == "-" else Path(file).name for file in files],
        "trained": date.today().isoformat(),
        "known_share": training.known_share,
    }
    return {name: value for name, value in facts.items() if value is not None}


def _print_search(search: "SearchQ") -> None:
    from textwrap import wrap

    say(*wrap(f"Tried on {search.protocol_}".replace(" bags", " batches"), 80))
    say("", f"{'C':>10} {'KLD':>9}")
    rows = search.results_.select("classifier__C", "error").iter_rows()
    for number, (strength, error) in enumerate(rows):
        say(f"{strength:10g} {1000 * error:9.3f}{'' if number else '  chosen'}")
    say("", "KLD: mean error over the batches, in thousandths; lower is better.", "")


def _print_table(
    training: "Training",
    model: Path,
    data: list[str],
    proxies: list[str],
    given: list[tuple[str, str]],
) -> None:
    quality = training.quality.sort("documents", descending=True, maintain_order=True)
    has_rates = quality["f1"].null_count() < len(quality)
    head = f"{'class':30} {'documents':>9}  {'share':>6}"
    say(head + (f"  {'tpr':>5}  {'fpr':>5}  {'F1':>5}" if has_rates else ""))
    for row in quality.head(SHOWN).iter_rows(named=True):
        line = f"{fit_width(row['class'], 30)} {row['documents']:9,}  {row['prevalence']:6.1%}"
        if has_rates:
            line += "".join(
                f"  {row[name]:5.2f}" if row[name] is not None else "      –"
                for name in ("tpr", "fpr", "f1")
            )
        say(line)
    if len(quality) > SHOWN:
        say(f"... and {len(quality) - SHOWN:,} smaller classes")
    if has_rates:
        say(
            "",
            "tpr, fpr: how many of a class's documents are found, how many of the others are",
            "taken for it, by classifiers that were not trained on them.",
        )
    first, learned = f"with {training.n_terms:,} distinct", "terms"
    if proxies:
        first, learned = "and what", f"{listed(map(repr, proxies))} said of them"
    new = f"NEW{''.join(Path(data[0]).suffixes[-1:])}"
    options = [part for name, value in given for part in (f"--{name}", value)]
    say(
        "",
        f"Learned {len(quality):,} classes by {training.method} from {training.n_documents:,} "
        f"documents {first}",
        f"{learned} in {training.seconds:.1f} s. "
        f"The model is {model} ({model.stat().st_size / 1e6:,.1f} MB). Next:",
        "",
        f"  {pasted(['quantext', 'estimate', str(model), new, *options])}",
    )


def _print_json(
    training: "Training",
    search: "SearchQ | None",
    model: Path,
    warnings: list[str],
    proxies: list[str] | None,
    about: dict[str, Any],
) -> None:
    import json

    facts = {
        "model": str(model),
        "method": training.method,
        "documents": training.n_documents,
        **({"proxies": proxies} if proxies else {"terms": training.n_terms}),
        "seconds": round(training.seconds, 3),
        "classes": training.quality.to_dicts(),
        "about": about,
        "warnings": warnings,
    }
    if search is not None:
        facts["search"] = {
            "chosen": search.best_params_,
            "measure": search.measure,
            "batches": search.n_bags_,
            "settings": search.results_.to_dicts(),
        }
    print(json.dumps(facts))
