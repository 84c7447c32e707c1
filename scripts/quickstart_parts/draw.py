"""Tables and curves for a terminal."""
import math


def table(head, rows):
    """Lines of columns, each as wide as its widest cell."""
    cells = [[str(cell) for cell in row] for row in [head, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]
    return ["  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
            for row in cells]


def curve(buckets, height=10, width=64):
    """Mean, and the span between least and greatest value, of sampled buckets (see docs/rest.md).

    The axis is logarithmic where the values span more than two decades.
    """
    low = min(b["min"] for b in buckets)
    high = max(b["max"] for b in buckets)
    scale = math.log if low > 0 and high > 100 * low else float
    first, last = buckets[0]["x_first"], buckets[-1]["x_last"]
    canvas = [[" "] * width for _ in range(height)]

    def row_of(value):
        share = (scale(value) - scale(low)) / (scale(high) - scale(low)) if high > low else 0
        return height - 1 - round(share * (height - 1))

    for bucket in buckets:
        middle = (bucket["x_first"] + bucket["x_last"]) / 2
        column = round((middle - first) / (last - first) * (width - 1)) if last > first else 0
        for row in range(row_of(bucket["max"]), row_of(bucket["min"]) + 1):
            if canvas[row][column] == " ":
                canvas[row][column] = "·"
        canvas[row_of(bucket["mean"])][column] = "●"
    lines = []
    for number, row in enumerate(canvas):
        label = {0: f"{high:.3g}", height - 1: f"{low:.3g}"}.get(number, "")
        lines.append(f"  {label:>8} ┤{''.join(row).rstrip()}")
    lines.append(f"  {'':8} └{'─' * width}")
    lines.append(f"  {'':9} {first:<{width // 2}.0f}{last:>{width // 2}.0f}")
    return lines
