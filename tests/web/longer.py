"""Another language: all that is said on a page is longer by 40 %, and each control is still there as a whole."""

# Texts of people are longer, too: more than a translation asks for.
LONGER = r"""() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    const isSaid = (node) => /\p{L}{2}/u.test(node.data) && !/\d/.test(node.data)
        && !node.parentElement.closest('script, style, svg, option, pre, .log-list');
    for (const node of texts.filter(isSaid)) node.data += node.data.trim().slice(0, Math.ceil(node.data.trim().length * 0.4));
    const isSeen = (node) => node.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !node.closest('.skip, .sr');
    const styleOf = (node) => getComputedStyle(node);
    const isCutWithSign = (node) => styleOf(node).textOverflow === 'ellipsis' || node.querySelector('.clip')
        || node.closest('.clip, td, th, [role=gridcell], [role=cell], [role=columnheader]');
    const name = (node) => `${node.className || node.tagName} "${(node.getAttribute('aria-label') || node.textContent).slice(0, 40)}"`;
    const controls = [...document.querySelectorAll('button, a[href], label, [role=tab], [role=switch], h1, h2, h3')].filter(isSeen);
    const isTooNarrow = (node) => node.clientWidth > 0 && node.scrollWidth > node.clientWidth + 1
        && !['auto', 'scroll'].includes(styleOf(node).overflowX) && !isCutWithSign(node);
    function isHidden(node) {
        const { right, left } = node.getBoundingClientRect();
        for (let over = node.parentElement; over && over !== document.body; over = over.parentElement) {
            const { overflowX } = styleOf(over);
            if (['auto', 'scroll'].includes(overflowX)) return false;
            const box = over.getBoundingClientRect();
            if (overflowX !== 'visible' && (right > box.right + 1 || left < box.left - 1)) return !isCutWithSign(node);
        }
        return right > innerWidth + 1;
    }
    function isUnderNext(node) {
        const next = node.nextElementSibling;
        if (!next || !controls.includes(next) || styleOf(node).position === 'absolute' || styleOf(next).position === 'absolute') return false;
        const [a, b] = [node.getBoundingClientRect(), next.getBoundingClientRect()];
        return a.right > b.left + 1 && b.right > a.left + 1 && a.bottom > b.top + 1 && b.bottom > a.top + 1;
    }
    return [document.documentElement.scrollWidth > innerWidth && 'the page scrolls sideways',
        ...controls.filter(isTooNarrow).map((node) => `too narrow: ${name(node)}`),
        ...controls.filter(isHidden).map((node) => `hidden: ${name(node)}`),
        ...controls.filter(isUnderNext).map((node) => `under its neighbour: ${name(node)}`)].filter(Boolean);
}"""


def faults_of_longer_words(page):
    """What does not fit, of the page as it stands; the page has the longer words then."""
    return page.evaluate(LONGER)
