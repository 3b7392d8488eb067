"""Wilcoxon's test and Holm's correction against textbooks and enumeration; pairs of methods."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rsjs.reporting.statistics import ranks
from rsjs.reporting.statistics.ranks import holm, least_p, pairs, signed_rank, weights, wins

# Demsar 2006, table 2: AUC of C4.5 and C4.5 with m tuned on 14 data sets
PLAIN = "763 599 954 628 882 936 661 583 775 1000 940 619 972 957"
TUNED = "768 591 971 661 888 931 668 583 838 1000 962 666 981 978"
# Hollander and Wolfe 1973, p. 29: depression factor at two visits of nine patients
FIRST = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
SECOND = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
# Darwin 1876: heights of cross- and self-fertilised maize, in eighths of an inch
MAIZE = [6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75]


def test_ties_and_zeros_as_in_demsar():
    found = signed_rank([int(x) for x in TUNED.split()], [int(x) for x in PLAIN.split()])
    assert (found.plus, found.minus) == (93, 12)
    assert 0.001 < found.p < 0.02  # below the critical value 21 of alpha 0.05


def test_the_depression_data_of_hollander_and_wolfe_whatever_the_order():
    found, other = signed_rank(FIRST, SECOND), signed_rank(SECOND, FIRST)
    assert (found.plus, found.minus) == (40, 5)
    assert found.p == other.p == pytest.approx(0.0390625)  # twice the 0.01953 of R's wilcox.test
    assert found.effect == -other.effect == pytest.approx(35 / 45)


def test_darwins_maize():
    found = signed_rank(MAIZE, np.zeros(15))
    assert min(found.plus, found.minus) == 24
    assert found.p == pytest.approx(0.041259765625)
    assert found.effect == pytest.approx((96 - 24) / 120)


def test_without_any_difference_p_is_one_and_those_of_rounding_are_none():
    found = signed_rank([1.0, 2.0], [1.0, 2.0])
    assert (found.plus, found.minus, found.p, found.effect) == (1.5, 1.5, 1.0, 0.0)
    assert signed_rank([0.1 + 0.2, 1e9], [0.3, 1e9 * (1 + 1e-15)]).p == 1.0
    values = np.arange(1.0, 7.0)
    assert signed_rank(values * (1 + 1e-10), values).p == 0.03125


@pytest.mark.parametrize("zeros", [0, 150])
def test_many_instances_are_approximated(monkeypatch, zeros):
    values = np.random.default_rng(5).normal(0.25, 1.0, 100)
    values = np.concatenate([np.zeros(zeros), values])
    monkeypatch.setattr(ranks, "MOST_EXACT", len(values))
    exact = signed_rank(values, np.zeros(len(values))).p
    monkeypatch.setattr(ranks, "MOST_EXACT", len(values) - 1)
    approximate = signed_rank(values, np.zeros(len(values))).p
    assert approximate != exact
    assert approximate == pytest.approx(exact, rel=0.03)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=8))
def test_p_is_that_of_all_signs(differences):
    d = np.array(differences, dtype=float)
    found = signed_rank(d, np.zeros(len(d)))
    ranks, moving = stats.rankdata(np.abs(d)), d != 0
    half = ranks[~moving].sum() / 2
    lower = 0
    signs = list(product((0, 1), repeat=int(moving.sum())))
    for chosen in signs:
        lower += (ranks[moving] * chosen).sum() + half <= min(found.plus, found.minus) + 1e-9
    assert found.p == pytest.approx(min(1.0, 2 * lower / len(signs)) if moving.any() else 1.0)
    total = len(d) * (len(d) + 1) / 2
    assert found.plus + found.minus == pytest.approx(total)


@given(st.lists(st.floats(-100, 100), min_size=3, max_size=30, unique_by=abs))
def test_without_ties_it_is_scipys_exact_test(differences):
    d = np.round([x for x in differences if abs(x) > 1e-6], 9)
    if len(d) < 3 or len(np.unique(np.abs(d))) < len(d):
        return
    expected = stats.wilcoxon(d, method="exact")
    found = signed_rank(d, np.zeros(len(d)))
    assert min(found.plus, found.minus) == expected.statistic
    assert found.p == pytest.approx(expected.pvalue)


def test_holm_by_hand():
    # sorted 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1; the last is raised to the one before
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert (holm([]).tolist(), holm([0.9, 0.8]).tolist()) == ([], [1.0, 1.0])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_lies_between_the_p_values_and_bonferroni(p):
    found, values = holm(p), np.array(p)
    assert (found >= values - 1e-15).all()
    order = np.argsort(values, kind="stable")
    bonferroni = np.maximum.accumulate(np.minimum(1.0, len(p) * values[order]))
    assert (found[order] <= bonferroni + 1e-12).all()
    assert found.min() == pytest.approx(min(1.0, len(p) * values.min()))
    assert (np.diff(found[order]) >= 0).all()


NAN = float("nan")


def test_wins_ties_and_losses(table):
    values = table(
        {"a": [1.0, 100.0, 5.0, NAN, NAN, 0.0, -2.0], "b": [2.0, 100.9, NAN, 5.0, NAN, 0.0, -1.0]}
    )
    assert wins(values, "a", "b") == (3, 3, 1)  # 100 and 100.9 tie, so do two failures
    assert wins(values, "b", "a") == (1, 3, 3)
    assert wins(values, "a", "b", tolerance=0.0) == (4, 2, 1)
    assert wins(table({"a": [100.0], "b": [101.5]}), "a", "b") == (1, 0, 0)


def test_each_pair_is_tested_on_the_means_of_its_instances(table):
    rng = np.random.default_rng(1)
    means = {"a": 0, "b": 1, "c": 9}
    scores = table({name: rng.normal(means[name], 1.0, 20) for name in means}, seeds=2)
    found = pairs(scores, scores, weights(scores.index, draws=400))
    assert found[["one", "other"]].to_numpy().tolist() == [["a", "b"], ["a", "c"], ["b", "c"]]
    of_instance = scores.groupby(level="instance").mean()
    assert len(of_instance) == 10
    expected = signed_rank(of_instance["a"], of_instance["b"])
    assert found.loc[0, ["p", "effect"]].tolist() == [expected.p, expected.effect]
    assert found["holm"][1] == pytest.approx(3 * least_p(10))
    assert (found["holm"] >= found["p"]).all()
    assert found["better"][1] == 1.0
    assert (found[["wins", "ties", "losses"]].sum(axis=1) == 20).all()


def test_six_instances_are_the_least_that_can_be_significant(table):
    scores = table({"a": np.arange(1.0, 7.0), "b": np.arange(1.0, 7.0) * 2})
    found = pairs(scores, scores, weights(scores.index, draws=10))
    assert found["p"][0] == least_p(6) == 0.03125
    assert found["effect"][0] == -1.0
    assert least_p(5) > 0.05
