"""What `make bench` makes of its measurements; nothing is timed here."""

import re

import numpy as np
import pytest

from benchmarks import ratios as bench
from benchmarks.growth import exponent
from benchmarks.probes import Probe, watched
from benchmarks.ratios import MissingPeerError, Ratio
from benchmarks.speed_picture import BEGIN, END, PAGE


def measured(ratio, what="vectors"):
    return Ratio(what, "peer", 1.0, ratio, ratio)


def test_a_ratio_is_the_median_of_rounds_in_which_both_take_turns():
    order, ours, theirs = [], iter([1.0, 2.0, 4.0]), iter([3.0, 20.0, 8.0])

    def take(name, seconds):
        order.append(name)
        return next(seconds)

    [own] = bench.in_turns(
        "work", lambda: take("ours", ours), {"peer": lambda: take("peer", theirs)}, rounds=3
    )
    assert order == ["ours", "peer"] * 3
    assert (own.ours, own.theirs, own.ratio) == (2.0, 8.0, 3.0)


def test_a_ratio_that_fell_by_more_than_three_tenths_is_named_and_no_other():
    committed = {measured(0).name: 10.0, measured(0, "kept").name: 10.0}
    [sentence] = bench.fallen([measured(6.9), measured(7.1, "kept"), measured(1, "new")], committed)
    assert "vectors, beside peer: 6.90" in sentence
    assert "31% below" in sentence


def test_committed_ratios_are_read_as_they_were_written_and_others_stay(tmp_path):
    path = tmp_path / "ratios.toml"
    assert bench.read_committed(path) == {}
    bench.write_committed([measured(2.0), measured(3.0, "other")], path)
    bench.write_committed([measured(4.0)], path)
    assert bench.read_committed(path) == {"vectors / peer": 4.0, "other / peer": 3.0}
    assert re.search(r"^# 20\d\d-\d\d-\d\d, on \d+ cores", path.read_text("utf-8"), re.MULTILINE)


def test_a_peer_that_is_missing_is_an_error_that_says_how_to_get_it():
    with pytest.raises(MissingPeerError, match=r"no_such_peer is not installed.*make bench"):
        bench.peer_module("no_such_peer.parts")


def test_the_exponent_is_that_of_a_power_of_the_size():
    sizes = [1000, 2000, 4000]
    assert exponent(sizes, 3.0 * np.array(sizes) ** 1.5) == pytest.approx(1.5)


def test_a_probe_counts_what_a_function_moves_and_leaves_it_as_it_was():
    before = bench.median
    probe = Probe(
        "median",
        "benchmarks.ratios:median",
        reads=lambda values: (8.0 * len(values), 1.0),
        writes=lambda _: 8.0,
    )
    stages = watched(lambda: [bench.median([1, 2, 3]) for _ in range(2)], [probe], "rest", 1)
    assert (stages["median"].bytes, stages["median"].operations) == (64.0, 2.0)
    assert stages.keys() == {"median", "rest"}
    assert bench.median is before


def test_the_page_on_speed_has_a_place_for_its_tables():
    page = PAGE.read_text("utf-8")
    assert page.index(BEGIN) < page.index(END)
