"""Shows the result of a verification, as text and as a table in a notebook."""

from __future__ import annotations

from html import escape
from typing import Any

CLASSES = ("exact", "within", "tie", "silhouette", "range", "mismatch")
_SHOWN = 8

# A notebook sets the colours of text and background. Tints of grey, green and red are visible on light and on dark ones.
STYLE = """<style>
.raytwin-report table { border-collapse: collapse; margin: 0.5em 0; }
.raytwin-report th, .raytwin-report td { padding: 0.2em 0.7em; text-align: right; border-bottom: 1px solid rgba(128, 128, 128, 0.35); }
.raytwin-report th:first-child, .raytwin-report td:first-child, .raytwin-report .raytwin-text { text-align: left; }
.raytwin-report .raytwin-verdict { padding: 0.15em 0.6em; border-radius: 0.3em; font-weight: 600; }
.raytwin-report .raytwin-sound { background: rgba(40, 160, 80, 0.28); }
.raytwin-report .raytwin-wrong { background: rgba(220, 50, 50, 0.32); }
.raytwin-report .raytwin-none { opacity: 0.4; }
</style>"""


def text(report: dict[str, Any]) -> str:
    """Returns a line with the verdict, and a line for each type of shape."""
    rows: list[tuple[str, ...]] = [("type", *CLASSES, "worst / bound", "largest error", "99 % at most")]
    rows += [_row(kind, "{}".format) for kind in report["types"]]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(cell.rjust(width) if column else cell.ljust(width) for column, (cell, width) in enumerate(zip(row, widths)))
        for row in rows
    ]
    return "\n".join([f"{report['device']}: {_verdict(report)}", *report["failures"], *lines])


def html(report: dict[str, Any]) -> str:
    """Returns the verdict, a table with a row for each type of shape, and the worst answers, as HTML."""
    kind_of_verdict = "sound" if report["sound"] else "wrong"
    parts = [
        STYLE,
        f"<p><span class='raytwin-verdict raytwin-{kind_of_verdict}'>{_verdict(report)}</span> {escape(report['device'])}</p>",
    ]
    if report["failures"]:
        parts.append("<ul>" + "".join(f"<li>{escape(failure)}</li>" for failure in report["failures"]) + "</ul>")
    parts.append(table(("type", *CLASSES, "worst error / bound", "largest error", "99 % at most"), [_row(kind, _html_count) for kind in report["types"]]))
    if report["worst"]:
        parts.append("<details><summary>the worst answers</summary>")
        head = ("class", "question", "answer", "exact", "type", "error / bound")
        parts.append(table(head, [_worst_row(worst) for worst in report["worst"][:_SHOWN]], "raytwin-text"))
        parts.append("</details>")
    return f"<div class='raytwin-report'>{''.join(parts)}</div>"


def _verdict(report: dict[str, Any]) -> str:
    answers = report["rays"] + report["points"]
    if report["sound"]:
        return f"{answers:,} answers, no mismatch"
    return f"{answers:,} answers, {report['mismatches']:,} wrong"


def _row(kind: dict[str, Any], count: Any) -> tuple[str, ...]:
    counts = [count(kind["classes"][name]) for name in CLASSES]
    errors = kind["distance_error"]
    sizes = ("", "") if errors is None else (f"{errors['largest']:.2e}", f"{errors['percentile_99']:.2e}")
    return (escape(kind["type"]), *counts, f"{kind['worst_error']:.3f}", *sizes)


def _html_count(count: int) -> str:
    return f"{count:,}" if count else "<span class='raytwin-none'>0</span>"


def _worst_row(worst: dict[str, Any]) -> tuple[str, ...]:
    asked = worst["pick"] or f"point {worst['point']}"
    error = "" if worst["error"] is None else f"{worst['error']:.3f}"
    answers = (_answer(worst["given"]), _answer(worst["exact"]))
    return (worst["class"], f"<code>{escape(asked)}</code>", *map(escape, answers), escape(worst["type"]), error)


def _answer(answer: dict[str, Any]) -> str:
    """Returns an answer as text, such as ``t 3.25, geometry_id 17``, or ``miss``."""
    message = {name: value for name, value in answer.items() if value is not None}
    return ", ".join(f"{name} {value}" for name, value in message.items()) or "miss"


def table(head: tuple[str, ...], rows: list[tuple[str, ...]], kind: str = "") -> str:
    """Returns a table whose cells are HTML."""

    def cells(tag: str, row: tuple[str, ...]) -> str:
        return "<tr>" + "".join(f"<{tag} class='{kind}'>{cell}</{tag}>" for cell in row) + "</tr>"

    return f"<table><thead>{cells('th', head)}</thead><tbody>{''.join(cells('td', row) for row in rows)}</tbody></table>"
