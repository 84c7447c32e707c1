"""The page docs/wandb.md and the tests name the same features, each tried with the oldest and the newest SDK."""
import features
import sdk


def test_the_page_has_what_the_tests_show():
    page = features.written()
    assert set(page) == features.marked()
    assert [name for name, states in page.items() if not all(states.get(v) for v in sdk.DEFAULT)] == []
