"""Jobs at prices of GPUs over time, against all plans and all numbers of epochs."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rsjs.heuristics.sts.priced_profile import CELLS, PricedJobs, run_priced

LAST, HOURS = 4, 4  # epochs at most; buckets of an hour each
SPEED = (0, 1, 2)  # epochs/h; 0 = it waits


def one_job(probability, due, weight):
    """A job of 1 to 4 epochs, none of them done, with two modes."""
    still = np.append(1.0 - np.cumsum([0.0, *probability[:-1]]), 0.0)  # P(W > z)
    points = np.arange(CELLS + 1) * LAST / CELLS
    alive = still[points.astype(int)][None]
    whole = np.cumsum(still[::-1])[::-1]
    left = np.interp(points, np.arange(LAST + 1), whole)[None]
    return PricedJobs(
        row=np.array([0]),
        modes=np.array([2]),
        mode=np.array([[0, 1]]),
        speed=np.array([[1.0, 2.0]]),
        due=np.array([due]),
        weight=np.array([weight]),
        step=np.array([LAST / CELLS]),
        alive=alive,
        left=left,
    )


def run(jobs, price):
    """U_0 at w, U_1 by epochs done, expected hours by bucket and mode."""
    cost, after, hours = np.empty(1), np.empty((1, CELLS + 1)), np.empty_like(price)
    run_priced(jobs, np.arange(HOURS + 1.0), price, cost, after, hours)
    return cost[0], after[0, :: CELLS // LAST], hours


def of_plan(plan, price, due, weight, epochs, begin=0, done=0):
    """What a plan costs a job that runs so many epochs."""
    now, cost = float(begin), 0.0
    for speed, prices in zip(plan, price[begin:], strict=False):
        hours = min(1.0, (epochs - done) / speed) if speed else 1.0
        cost += hours * prices[speed - 1] if speed else 0.0
        cost += weight * max(0.0, now + hours - max(due, now))
        done, now = done + speed * hours, now + 1.0
        if done >= epochs:
            return cost
    each = min((price[-1, q] + weight) / SPEED[q + 1] for q in (0, 1))
    return cost + (epochs - done) * each


def least(probability, price, due, weight, begin=0, done=0):
    """The least expected cost of all plans, times the probability that the job still runs."""
    plans = product(SPEED, repeat=HOURS - begin)
    cases = [(w, p) for w, p in enumerate(probability, start=1) if w > done]
    return min(
        sum(p * of_plan(plan, price, due, weight, w, begin, done) for w, p in cases)
        for plan in plans
    )


def drawn(rng):
    """Prices at which both modes are worth having, a distribution, a due date and a weight."""
    slow = np.array([rng.choice([0.5, 1.0, 4.0, 30.0]) for _ in range(HOURS + 1)])
    slow[-1] = 0.5
    price = np.stack([slow, slow * rng.choice([2.1, 3.0])], axis=1)
    chance = np.array([rng.random() + 0.01 for _ in range(LAST)])
    return price, chance / chance.sum(), rng.choice([-1.0, 0.5, 2.0, 4.0]), rng.choice([0.1, 5, 50])


@given(rng=st.randoms(use_true_random=False))
@settings(max_examples=settings().max_examples // 2)
def test_it_costs_what_the_best_of_all_plans_does(rng):
    price, chance, due, weight = drawn(rng)
    cost, after, _ = run(one_job(chance, due, weight), price)
    assert cost == pytest.approx(least(chance, price, due, weight))
    later = [least(chance, price, due, weight, 1, done) for done in range(LAST)]
    assert after == pytest.approx([*later, 0.0])


@given(rng=st.randoms(use_true_random=False))
@settings(max_examples=settings().max_examples // 2)
def test_the_hours_are_a_supergradient(rng):
    """No more is paid at other prices than by the same plan."""
    price, chance, due, weight = drawn(rng)
    jobs = one_job(chance, due, weight)
    cost, _, hours = run(jobs, price)
    other = price * np.array([rng.choice([0.5, 1.0, 3.0]) for _ in range(HOURS + 1)])[:, None]
    other[-1] = price[-1]
    assert run(jobs, other)[0] <= cost + ((other - price) * hours).sum() + 1e-9


def test_a_job_that_cannot_wait_pays_and_one_that_can_waits():
    """Two epochs, 10 $/h in the first hour and 1 $/h after it."""
    price = np.array([[10.0, 25.0], *[[1.0, 2.5]] * HOURS])
    chance = [0.0, 1.0, 0.0, 0.0]
    assert run(one_job(chance, 3.0, 50.0), price)[0] == pytest.approx(2.0)
    assert run(one_job(chance, 1.0, 50.0), price)[0] == pytest.approx(25.0)
    assert run(one_job(chance, 1.0, 50.0), price)[2][0].tolist() == [0.0, 1.0]
