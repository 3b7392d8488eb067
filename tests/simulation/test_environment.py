"""The Gymnasium environment: every action is a decision, and rewards add up to the cost."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("gymnasium")
import gymnasium
import pandas as pd
from gymnasium.utils.env_checker import check_env

import rsjs
from rsjs.core.errors import InputError
from rsjs.instances.generators import andreas, jahani, sts
from rsjs.simulation.engine import simulate
from rsjs.simulation.environment import ENVIRONMENT_ID, SchedulingEnv
from rsjs.simulation.policies.registry import policy
from rsjs.simulation.policy import Choice, Policy

SHAPE = {"nodes": 3, "jobs": 8, "seed": 4}


def workloads():
    yield andreas.workload(**SHAPE)
    yield sts.workload(**SHAPE, sharing="paper")
    yield jahani.workload(**SHAPE)
    rigid = {"submit": [0, 600, 900], "gpus": [1, 4, 3], "duration": [7200, 600, 3600]}
    yield rsjs.from_frames(pd.DataFrame(rigid), cluster="V100:4:1,P100:2:1", rigid=True)


@pytest.fixture(params=range(4), ids=["andreas", "sts", "jahani", "rigid"])
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


def draw(seed):
    return andreas.workload(**{**SHAPE, "seed": seed})


@pytest.mark.parametrize(
    "action",
    [[0] * 3, [-1] * 4, [10**6] * 4, [0.5] * 4, [float("nan")] * 4, [[0] * 4], None],
)
def test_what_is_no_action_is_refused_in_one_line(action):
    env = SchedulingEnv(draw, slots=4)
    env.reset(seed=1)
    most = len(env.modes)
    with pytest.raises(InputError, match=f"^/action: .* expected 4 integers from 0 to {most}$"):
        env.step(action)
    assert env.state is not None
    env.step([0] * 4)


def test_a_step_outside_an_episode_asks_for_a_reset():
    env = SchedulingEnv(draw, slots=4)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros(4, int))
    played(env, lambda env, seen: np.zeros(4, int))
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(np.zeros(4, int))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"workload": andreas.generate(**SHAPE)}, "found an object of type Instance, expected a"),
        ({"workload": "w.json"}, "found an object of type str, expected a workload"),
        ({"workload": lambda seed: None}, "found an object of type NoneType, expected a workload"),
        ({"workload": draw, "slots": 0}, "/slots: found 0, expected an integer >= 1"),
    ],
)
def test_an_environment_of_nothing_is_refused(arguments, said):
    with pytest.raises(InputError) as caught:
        SchedulingEnv(**arguments)
    assert said in str(caught.value)


def test_workloads_of_other_nodes_are_refused():
    env = SchedulingEnv(lambda seed: andreas.workload(nodes=2 + seed, jobs=4, seed=1))
    with pytest.raises(InputError, match="expected one with the nodes of andreas-"):
        env.reset(seed=1)
    env.reset(seed=0)


def test_environments_are_made_by_name_and_side_by_side():
    one = gymnasium.make(ENVIRONMENT_ID, workload=draw, slots=4)
    assert one.reset(seed=3)[0]["mask"].shape == (4, len(one.unwrapped.modes) + 1)
    many = gymnasium.make_vec(
        ENVIRONMENT_ID, num_envs=2, vectorization_mode="sync", workload=draw, slots=4
    )
    many.reset(seed=3)
    alone = [SchedulingEnv(draw, slots=4) for _ in range(2)]
    for i, env in enumerate(alone):
        env.reset(seed=3 + i)
    rng = np.random.default_rng(0)
    while all(env.state is not None for env in alone):
        actions = np.stack([at_random(rng, env.action_masks()) for env in alone])
        rewards = many.step(actions)[1]
        alike = [env.step(action)[1] for env, action in zip(alone, actions, strict=True)]
        assert rewards == pytest.approx(alike)


def test_a_rule_that_an_action_may_not_meet_is_refused(workload):
    objective = replace(workload.objective, open_nodes="rsjs_eq")
    with pytest.raises(InputError, match="/objective/open_nodes: found 'rsjs_eq', expected free"):
        SchedulingEnv(replace(workload, objective=objective))
