"""The page docs/wandb.md and the tests name the same features, each tried with each SDK."""
import features
import sdk


def test_the_page_has_what_the_tests_show():
    page = features.written()
    assert set(page) == features.marked()
    assert [name for name, states in page.items() if set(states) != set(sdk.ALL) or not all(states.values())] == []
