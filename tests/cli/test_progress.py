"""What is shown while a method runs."""

import sys

from rsjs.cli.output import print_json
from rsjs.cli.progress import RunLine, Screen, busy


def test_a_line_tells_cost_bound_and_gap_from_the_events():
    line = RunLine("1/2 edf on x", 60)
    assert line.text() == "1/2 edf on x: 0 s (limit 60)"
    for event in (
        {"event": "started"},
        {"event": "phase", "name": "build", "seconds": 0.1},
        {"event": "incumbent", "seconds": 1.0, "value": 4.0},
        {"event": "bound", "seconds": 1.0, "value": 3.0},
    ):
        line(event)
    assert line.text().endswith("cost 4.00000  bound 3.00000  gap 25 %")


def test_nothing_is_drawn_away_from_a_terminal(capsys):
    with busy("thinking"), Screen() as screen:
        screen.show(RunLine("edf", 1))
        screen.say("done")
    assert capsys.readouterr() == ("", "done\n")


def test_on_a_terminal_the_line_is_drawn_and_removed(capsys, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with Screen() as screen:
        screen.show(RunLine("edf on x", 1))
        screen.say("done")
    out, err = capsys.readouterr()
    assert out == ""
    assert "edf on x: 0 s" in err
    assert "done\n" in err


def test_json_has_no_number_that_json_does_not_know(capsys):
    print_json({"a": float("nan"), "b": (float("inf"), 1), 3: {"x"}})
    shown = '{\n  "a": null,\n  "b": [\n    null,\n    1\n  ],\n  "3": [\n    "x"\n  ]\n}\n'
    assert capsys.readouterr().out == shown
