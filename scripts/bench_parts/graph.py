"""Curves over time as an SVG, several panels beside each other. It has a ground of its own, so it can be read
on a page of any colour."""
import html
import math

COLUMNS, WIDTH, HEIGHT, GAP, HEAD = 2, 430, 130, 64, 58
LEFT, RIGHT, BOTTOM, MOST_POINTS = 56, 14, 26, 300
PAPER, INK, FAINT, GRID = "#ffffff", "#1f2430", "#6b7280", "#e5e7eb"
CURVES = ("#2563eb", "#d97706", "#059669")


def step_of(top, most=4):
    """A round distance of lines, at most so many up to the top."""
    rough = max(top, 1e-9) / most
    power = 10 ** math.floor(math.log10(rough))
    return next(power * i for i in (1, 2, 2.5, 5, 10) if power * i >= rough * 0.999)


def thinned(values):
    """At most MOST_POINTS means of neighbours: (place of the middle, mean)."""
    every = -(-len(values) // MOST_POINTS)
    for i in range(0, len(values), every):
        part = values[i:i + every]
        yield i + (len(part) - 1) / 2, sum(part) / len(part)


def text(x, y, words, size=11, colour=FAINT, anchor="start", weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" text-anchor="{anchor}" '
            f'font-weight="{weight}">{html.escape(words)}</text>')


class Panel:
    """title and unit, and curves: {name: a value for each second}."""

    def __init__(self, title, unit, curves):
        self.title, self.unit, self.curves = title, unit, curves
        top = max((max(values, default=0) for values in curves.values()), default=0)
        self.step = step_of(top)
        self.top = self.step * max(1, math.ceil(top / self.step * 0.999))
        self.seconds = max(max(len(values) for values in curves.values()), 2)

    def x(self, second):
        return LEFT + second / (self.seconds - 1) * (WIDTH - LEFT - RIGHT)

    def y(self, value):
        return HEIGHT - value / self.top * HEIGHT

    def axes(self):
        for i in range(round(self.top / self.step) + 1):
            value = i * self.step
            yield f'<path d="M{LEFT} {self.y(value):.1f}H{WIDTH - RIGHT}" stroke="{GRID}"/>'
            yield text(LEFT - 6, self.y(value) + 4, f"{value:g}", anchor="end")
        step = step_of(self.seconds - 1, 6)
        for i in range(int((self.seconds - 1) / step) + 1):
            yield f'<path d="M{self.x(i * step):.1f} {HEIGHT}v4" stroke="{FAINT}"/>'
            yield text(self.x(i * step), HEIGHT + 16, f"{i * step:g} s", anchor="middle")

    def legend(self):
        yield text(0, -12, self.title, 13, INK, weight="600")
        x = WIDTH - RIGHT
        if len(self.curves) > 1:
            for name, colour in reversed(list(zip(self.curves, CURVES))):
                yield text(x, -12, name, colour=colour, anchor="end", weight="600")
                x -= 7 * len(name) + 12
        yield text(x, -12, self.unit, anchor="end")

    def lines(self):
        for values, colour in zip(self.curves.values(), CURVES):
            points = " ".join(f"{self.x(i):.1f},{self.y(v):.1f}" for i, v in thinned(values))
            yield (f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6" '
                   'stroke-linejoin="round"/>')

    def svg(self):
        return [*self.axes(), *self.lines(), *self.legend()]


def draw(path, title, below, panels):
    rows = -(-len(panels) // COLUMNS)
    width = COLUMNS * WIDTH + (COLUMNS + 1) * 24
    height = HEAD + rows * (HEIGHT + GAP) + 8
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           f'viewBox="0 0 {width} {height}" role="img" font-family="system-ui,Helvetica,Arial,sans-serif">',
           f"<title>{html.escape(title)}</title>",
           f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8" fill="{PAPER}" stroke="{GRID}"/>',
           text(24, 26, title, 16, INK, weight="600"), text(24, 44, below)]
    for i, panel in enumerate(panels):
        x = 24 + i % COLUMNS * (WIDTH + 24)
        y = HEAD + 28 + i // COLUMNS * (HEIGHT + GAP)
        out += [f'<g transform="translate({x} {y})">', *panel.svg(), "</g>"]
    out.append("</svg>")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")
