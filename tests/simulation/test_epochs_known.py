"""What policies are told of the epochs that jobs run: their distribution, or their number."""

import pytest

from rsjs.core.errors import InputError
from rsjs.instances.generators import sts
from rsjs.simulation import event_log
from rsjs.simulation.engine import simulate
from rsjs.simulation.options import KNOWN, Options
from rsjs.simulation.policies.registry import policy

WORKLOAD = sts.workload(nodes=3, jobs=20, seed=1, gap_seconds=12000.0)
EPOCHS_KNOWN = Options(epochs=KNOWN)


def _seen(workload, options):
    """Distribution and largest number of epochs of each job, as a policy sees them."""
    greedy, seen = policy("queue:greedy", workload, options), {}

    def decide(state, memory):
        jobs = state.instance.jobs
        for name, law, last in zip(jobs.id, jobs.law, jobs.epochs_max.tolist(), strict=True):
            seen[name] = law, last
        return greedy.decide(state, memory)

    outcome = simulate(workload, greedy.__class__(spelling="s", decide=decide), options)
    assert outcome.status == "complete"
    return [seen[name] for name in workload.jobs.id]


def test_a_policy_is_told_the_distribution_or_the_number():
    jobs = WORKLOAD.jobs
    hidden = [*zip(jobs.law, jobs.epochs_max.tolist(), strict=True)]
    told = [("fixed", epochs) for epochs in WORKLOAD.realised_epochs.tolist()]
    assert _seen(WORKLOAD, Options()) == hidden != told
    assert _seen(WORKLOAD, EPOCHS_KNOWN) == told


@pytest.mark.parametrize(
    "method",
    [
        *("queue:edf", "queue:pedf", "greedy:paper", "dp:fastest", "sts:fallback", "sts:literal"),
        *("randomized_queue?iterations=5", "randomized_greedy:paper?iterations=5", "roll"),
        *("hierarchical?controllers=2,method=(sts:fallback)", "ruin_recreate?iterations=20"),
    ],
)
def test_where_nothing_is_uncertain_it_makes_no_difference(method):
    """Of distributions with one epoch each policy says the same, told or not."""
    workload = sts.workload(nodes=3, jobs=15, seed=1, gap_seconds=12000.0, laws="fixed")
    logs = [
        event_log.of(simulate(workload, policy(method, workload, options), options))
        for options in (Options(), EPOCHS_KNOWN)
    ]
    assert logs[0].events == logs[1].events
    assert logs[0].end == logs[1].end


@pytest.mark.parametrize("method", ["sts:fallback", "roll", "queue:greedy"])
def test_what_is_known_changes_decisions_and_replays(method):
    outcome = simulate(WORKLOAD, policy(method, WORKLOAD, EPOCHS_KNOWN), EPOCHS_KNOWN)
    hidden = simulate(WORKLOAD, policy(method, WORKLOAD))
    assert outcome.totals.cost < hidden.totals.cost
    log = event_log.of(outcome)
    assert log.run["options"]["epochs"] == KNOWN
    assert event_log.replay(WORKLOAD, log).totals == outcome.totals
    assert "epochs" not in event_log.of(hidden).run["options"]


def test_a_policy_that_was_made_for_other_options_is_refused():
    with pytest.raises(InputError, match="/epochs: found 'known', expected withheld"):
        simulate(WORKLOAD, policy("sts:fallback", WORKLOAD), EPOCHS_KNOWN)


def test_options_name_what_they_know():
    with pytest.raises(InputError, match="/epochs: found 'told', expected one of withheld, known"):
        Options(epochs="told")
