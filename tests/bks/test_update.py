"""The files after an update: all of it or nothing, the same bytes each time."""

import fcntl
import json
import os
import threading
from dataclasses import replace

import pytest

from rsjs.bks import storage
from rsjs.bks.candidates import of_stores
from rsjs.bks.merge import update
from rsjs.bks.regenerate import made_again
from rsjs.bks.verify import verify
from rsjs.core.errors import InputError
from rsjs.instances.generators.jahani import generate
from rsjs.instances.io.deserialization import to_instance, to_solution


@pytest.fixture
def folder(tmp_path):
    """Where the values are."""
    return tmp_path / "known"


def entries_of(folder):
    return [*storage.read(folder).values()]


def content(folder):
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_an_update_writes_a_line_with_values_and_solution(folder, store, tiny, best, optimum):
    told, _ = of_stores([store("s", {"decision": best, "bound": optimum})])
    update(folder, told)
    assert {*content(folder)} == {"jahani.jsonl"}
    entry = json.loads((folder / "jahani.jsonl").read_text())
    assert (entry["status"], entry["sha256"]) == ("closed", tiny.digest)
    assert entry["upper_bound"] == entry["lower_bound"] == optimum
    assert to_solution(entry["solution"]).same_as(best)
    assert entry["solution"]["instance"] == tiny.digest
    [known] = entries_of(folder)
    assert storage.solu([known]) == [f"=opt=  {tiny.name} {entry['upper_bound']!r}"]
    assert made_again(known).digest == tiny.digest
    assert verify(folder).findings == []


@pytest.mark.parametrize("values", [{"bound": 0.0}, {}])
def test_solu_says_best_for_open_instances(values, folder, store, tiny, best):
    update(folder, of_stores([store("s", {"decision": best, **values})])[0])
    [line] = storage.solu(entries_of(folder))
    assert line.startswith(f"=best=  {tiny.name} ")


def test_solu_says_unknown_without_a_cost(folder, store, tiny):
    update(folder, of_stores([store("s", {"bound": 0.01})])[0])
    assert storage.solu(entries_of(folder)) == [f"=unkn=  {tiny.name}"]
    assert verify(folder).findings == []


def test_the_same_update_again_touches_no_file(folder, store, best, idle):
    told, _ = of_stores(
        [store("s", *({"k": k, "decision": d} for k, d in ((1, idle), (2, best), (3, best))))]
    )
    update(folder, told)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    again = update(folder, told)
    assert again.before == again.after
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_two_stores_in_either_order_or_together_give_the_same_files(tmp_path, store, best, idle):
    stores = [
        store("one", {"k": 1, "decision": best, "method": "a@scip"}),
        store("two", {"k": 2, "decision": best}),
    ]
    for name, order in (("ab", stores), ("ba", stores[::-1])):
        update(tmp_path / name, of_stores(order)[0])
    assert content(tmp_path / "ab") == content(tmp_path / "ba")


def test_a_contradiction_leaves_every_file_as_it_was(folder, store, tiny, best, idle, optimum):
    other = generate(nodes=2, jobs=3, seed=2)
    update(folder, of_stores([store("s", {"decision": idle, "bound": 0.01})])[0])
    before = content(folder)
    good = store("good", {"decision": idle}, on=other)
    bad = store("bad", {"k": 2, "decision": best}, {"k": 3, "bound": 2 * optimum})
    done = update(folder, of_stores([good, bad])[0])
    assert len(done.contradictions) == 1
    assert content(folder) == before
    [run_id] = [found.bound.run_id for found in done.contradictions]
    done = update(folder, of_stores([good, bad], without=[run_id])[0])
    assert done.contradictions == []
    assert [entry.instance for entry in entries_of(folder)] == sorted([tiny.name, other.name])
    assert verify(folder).findings == []


def test_entries_are_sorted_in_whatever_order_they_come(tmp_path, store, tiny, idle):
    other = generate(nodes=2, jobs=3, seed=2)
    stores = [store("one", {"decision": idle}), store("two", {"decision": idle}, on=other)]
    for name, order in (("ab", stores), ("ba", stores[::-1])):
        for one in order:
            update(tmp_path / name, of_stores([one])[0])
        assert verify(tmp_path / name).findings == []
    assert content(tmp_path / "ab") == content(tmp_path / "ba")


def test_a_run_without_cost_or_bound_leaves_no_entry(folder, store):
    assert update(folder, of_stores([store("s", {"stop": "time_limit"})])[0]).after == {}
    assert not folder.exists()


def test_an_instance_that_no_generator_makes_is_kept(folder, store, tiny, idle):
    own = replace(tiny, name="by-hand", generator={})
    update(folder, of_stores([store("s", {"decision": idle}, on=own)])[0])
    entry = json.loads((folder / "other.jsonl").read_text())
    assert entry["made_by"] is None
    assert to_instance(entry["instance_document"]).digest == own.digest
    assert verify(folder).findings == []


def test_an_instance_whose_generator_draws_another_one_is_kept(folder, store, tiny, idle):
    parameters = {**tiny.generator["parameters"], "seed": 2}
    own = replace(tiny, generator={**tiny.generator, "parameters": parameters})
    update(folder, of_stores([store("s", {"decision": idle}, on=own)])[0])
    assert [entry.made_by for entry in entries_of(folder)] == [None]


BAD_NAMES = [("two words", "text like"), ("../up", "text like"), (".hidden", "text like")]


@pytest.mark.parametrize(("name", "told"), BAD_NAMES)
def test_a_name_that_cannot_name_files_is_refused(name, told, folder, store, tiny, idle):
    own = replace(tiny, name=name, generator={})
    with pytest.raises(InputError, match=told):
        update(folder, of_stores([store("s", {"decision": idle}, on=own)])[0])
    assert not folder.exists()


def test_a_name_that_another_instance_has_is_refused(folder, store, tiny, idle):
    update(folder, of_stores([store("one", {"decision": idle})])[0])
    other = replace(generate(nodes=2, jobs=3, seed=2), name=tiny.name)
    with pytest.raises(InputError, match=f"another name: that is of {tiny.digest}"):
        update(folder, of_stores([store("two", {"decision": idle}, on=other)])[0])


def test_a_newer_format_is_refused_by_its_name(folder):
    folder.mkdir()
    (folder / "jahani.jsonl").write_text('{"format": "rsjs-best-known/3"}')
    with pytest.raises(InputError, match=r"jahani\.jsonl: line 1/format: .* or a newer rsjs-bench"):
        storage.read(folder)


def test_an_update_that_was_terminated_leaves_the_values_before(
    folder, store, best, idle, monkeypatch
):
    update(folder, of_stores([store("s", {"decision": idle})])[0])
    better, _ = of_stores([store("t", {"k": 2, "decision": best})])
    before = content(folder)

    def terminated(data, path):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(storage, "write_bytes", terminated)
        with pytest.raises(KeyboardInterrupt):
            update(folder, better)
    assert content(folder) == before
    update(folder, better)
    assert verify(folder).findings == []
    assert content(folder) != before


def test_a_value_is_looked_up_by_instance_or_digest(
    folder, store, tiny, best, optimum, monkeypatch
):
    monkeypatch.setattr(storage, "HERE", folder)
    update(folder, of_stores([store("s", {"decision": best, "bound": 0.0})])[0])
    value = storage.lookup(tiny)
    assert (value.value, value.bound, value.status) == (optimum, 0.0, "open")
    assert storage.lookup(tiny.digest) == value
    assert storage.lookup(generate(nodes=2, jobs=3, seed=2)) is None
    update(folder, of_stores([store("t", {"k": 2, "bound": optimum})])[0])
    assert storage.lookup(tiny) == (optimum, optimum, "closed")


def test_updates_wait_for_each_other(folder, store, tiny, best, idle):
    other = generate(nodes=2, jobs=3, seed=2)
    mine, _ = of_stores([store("mine", {"decision": idle})])
    theirs, _ = of_stores([store("theirs", {"decision": idle}, on=other)])
    with storage.locked(folder):
        descriptor = os.open(folder, os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(descriptor)
        thread = threading.Thread(target=update, args=(folder, theirs))
        thread.start()
        update(folder.with_name("aside"), mine)
        storage.write(folder, entries_of(folder.with_name("aside")))
    thread.join()
    assert {entry.sha256 for entry in entries_of(folder)} == {tiny.digest, other.digest}
