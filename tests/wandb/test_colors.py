"""Colours of runs that the SDK makes."""


def colors(read, *names):
    return [(run["color_slot"], run["color"]) for run in (read(name).get() for name in names)]


def test_slots_are_given_in_turn(wire, read):
    wire.start("r1")
    wire.start("r2", shared=True)
    wire.start("r3")
    assert colors(read, "r1", "r2", "r3") == [(0, None), (1, None), (2, None)]


def test_a_process_that_begins_again_leaves_the_colour(wire, read, api):
    wire.start("r1")
    api.patch(read("r1").path, {"color": "#aa0011"})
    wire.start("r1", displayName="another")
    assert colors(read, "r1") == [(0, "#aa0011")]
