"""The Gymnasium environment: every action is a decision, and rewards add up to the cost."""

import numpy as np
import pytest

pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env

from rsjs.instances.generators import andreas, jahani, sts
from rsjs.simulation.engine import simulate
from rsjs.simulation.environment import SchedulingEnv
from rsjs.simulation.policies.registry import policy
from rsjs.simulation.policy import Choice, Policy

SHAPE = {"nodes": 3, "jobs": 8, "seed": 4}


def workloads():
    yield andreas.workload(**SHAPE)
    yield sts.workload(**SHAPE, sharing="paper")
    yield jahani.workload(**SHAPE)


@pytest.fixture(params=range(3), ids=["andreas", "sts", "jahani"])
def workload(request):
    return [*workloads()][request.param]


def played(env, agent, seed=0):
    """Rewards and last info of an episode."""
    observation, info = env.reset(seed=seed)
    rewards, ended = [], False
    while not ended:
        observation, reward, ended, truncated, info = env.step(agent(env, observation))
        assert not truncated
        rewards.append(reward)
    return np.array(rewards), info


def test_gymnasium_finds_nothing_to_complain_of(workload):
    check_env(SchedulingEnv(workload, slots=4), skip_render_check=True)


@pytest.mark.parametrize("name", ["edf", "greedy"])
def test_an_agent_that_decides_as_a_policy_costs_what_the_policy_costs(workload, name):
    known = policy(name, workload)
    env = SchedulingEnv(workload)
    _, info = env.reset()
    cost, ended = 0.0, False
    while not ended:
        choice = known.decide(env.state, env._simulation.memory)
        action = env.action_of(choice.solution)
        assert env.observation_space.contains(env._observation())
        again, refused = env.solution_of(action)
        assert refused == 0
        assert np.array_equal(again.job_node, choice.solution.job_node)
        _, reward, ended, _, info = env.step(action)
        cost -= reward
    told = simulate(workload, known)
    assert info["status"] == "complete"
    assert cost == pytest.approx(told.totals.cost, rel=1e-12)
    assert info["energy"] == pytest.approx(told.totals.energy, rel=1e-12)


def at_random(rng, mask):
    return np.array([rng.choice(np.flatnonzero(row)) for row in mask])


def test_a_random_agent_costs_what_a_policy_with_its_draws_costs(workload):
    env = SchedulingEnv(workload)
    rng = np.random.default_rng(1)
    rewards, info = played(env, lambda env, seen: at_random(rng, seen["mask"]))
    again, twin = np.random.default_rng(1), SchedulingEnv(workload)
    twin.reset()

    def decide(state, memory):
        twin.state = state
        return Choice(solution=twin.solution_of(at_random(again, twin.action_masks()))[0])

    told = simulate(workload, Policy(spelling="random", decide=decide))
    assert str(told.status) == info["status"]
    assert -rewards.sum() == pytest.approx(told.totals.cost, rel=1e-12)


def test_jobs_that_do_not_fit_wait_and_are_counted(workload):
    env = SchedulingEnv(workload)
    env.reset()
    most = np.array([np.flatnonzero(row)[-1] for row in env.action_masks()])
    while (env.state.rows.size < 3) and env.step(most)[2] is False:
        most = np.array([np.flatnonzero(row)[-1] for row in env.action_masks()])
    solution, refused = env.solution_of(most)
    ran = int((solution.job_node >= 0).sum())
    assert ran + refused == min(env.slots, len(env.state.rows))


def test_an_agent_that_always_waits_ends_without_completion(workload):
    rewards, info = played(SchedulingEnv(workload), lambda env, seen: np.zeros(env.slots, int))
    assert info["status"] == "deadlock"
    assert len(rewards) <= len(workload.jobs)


def test_jobs_beyond_the_slots_stay_as_they_are(workload):
    env = SchedulingEnv(workload, slots=1)
    observation, _ = env.reset()
    seen = 0
    for _ in range(30):
        before = env.state
        action = np.array([np.flatnonzero(observation["mask"][0])[-1]])
        solution, _ = env.solution_of(action)
        decided = env._slots()
        others = np.setdiff1d(np.arange(len(before.rows)), decided)
        assert (solution.job_node[others] == before.current.job_node[others]).all()
        seen += len(others)
        observation, _, ended, _, _ = env.step(action)
        if ended:
            break
    assert seen


def test_a_seed_draws_the_workload():
    env = SchedulingEnv(lambda seed: andreas.workload(**{**SHAPE, "seed": seed}))
    first = env.reset(seed=7)[0]["jobs"]
    assert not np.array_equal(env.reset(seed=8)[0]["jobs"], first)
    assert np.array_equal(env.reset(seed=7)[0]["jobs"], first)
