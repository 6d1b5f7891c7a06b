"""The report as HTML: whole, by itself, escaped, and open to everybody."""

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from report_tables import fitted, illnesses, people
from test_report_forms import NASTY, nasty_report

from skanon.losses import MI
from skanon.report._html import escape
from skanon.report._words import printable

TAGS = {
    *("html", "head", "meta", "title", "style", "body", "main", "div", "section"),
    *("h1", "h2", "h3", "p", "figure", "figcaption", "svg", "text", "rect", "span"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {
    *("lang", "charset", "http-equiv", "content", "name", "class", "role", "scope"),
    *("aria-label", "tabindex", "style", "width", "height", "x", "y", "text-anchor"),
}
VOID = {"meta"}


class Page(HTMLParser):
    """What a browser makes of it: elements with their attributes and texts."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements = [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        assert len(dict(attrs)) == len(attrs)
        element = {"tag": tag, "text": "", "path": [e["tag"] for e in self.open]}
        element |= {"attrs": dict(attrs), "inside": list(self.open)}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        raise AssertionError(f"{tag} closes itself")

    def handle_endtag(self, tag):
        assert self.open.pop()["tag"] == tag

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def all(self, tag, inside=None):
        return [
            e
            for e in self.elements
            if e["tag"] == tag and (inside is None or inside in e["inside"])
        ]

    def tables(self):
        """Give each table's rows of texts, by its caption."""
        found = {}
        for table in self.all("table"):
            (caption,) = self.all("caption", table)
            rows = [
                [
                    cell["text"]
                    for cell in self.elements
                    if cell["tag"] in ("th", "td") and row in cell["inside"]
                ]
                for row in self.all("tr", table)
            ]
            found[caption["text"]] = rows
        return found

    def table(self, start):
        (rows,) = [
            x for caption, x in self.tables().items() if caption.startswith(start)
        ]
        return rows


@pytest.fixture(params=["page", "notebook", "nasty page", "nasty notebook"])
def text(request):
    if request.param.startswith("nasty"):
        report = nasty_report()
    else:
        report = fitted(y=illnesses()).report()
    is_page = request.param.endswith("page")
    return report.to_html() if is_page else report._repr_html_()


def test_nothing_but_known_tags_and_attributes(text):
    page = Page(text)
    assert {e["tag"] for e in page.elements} <= TAGS
    assert {name for e in page.elements for name in e["attrs"]} <= ATTRIBUTES
    for element in page.elements:
        style = element["attrs"].get("style", "width:0.0%")
        assert re.fullmatch(r"width:\d+\.\d%", style)
    for style in page.all("style"):
        assert not re.search(r"url\(|@import|expression|//", style["text"])


def test_every_table_can_be_read_aloud(text):
    page = Page(text)
    tables = page.all("table")
    assert len(tables) >= 8
    for table in tables:
        (caption,) = page.all("caption", table)
        assert caption["text"]
        rows = page.all("tr", table)
        widths = {
            sum(c["inside"][-1] is row for c in page.all("th") + page.all("td"))
            for row in rows
        }
        assert len(widths) == 1
        for row in rows:
            heads = page.all("th", row)
            if "thead" in row["path"]:
                assert {h["attrs"]["scope"] for h in heads} == {"col"}
            else:
                assert [h["attrs"]["scope"] for h in heads] == ["row"]
        region = table["inside"][-1]
        assert region["attrs"]["role"] == "region"
        assert region["attrs"]["tabindex"] == "0"
        assert region["attrs"]["aria-label"] == caption["text"]
    for head in page.all("th"):
        assert head["text"].strip()


def test_page_is_whole():
    text = fitted(y=illnesses()).report().to_html()
    page = Page(text)
    assert text.startswith("<!DOCTYPE html>\n")
    (root,) = page.all("html")
    assert root["attrs"] == {"lang": "en"}
    assert [e["tag"] for e in page.elements if e["path"] == ["html"]] == [
        "head",
        "body",
    ]
    metas = [meta["attrs"] for meta in page.all("meta")]
    assert metas[0] == {"charset": "utf-8"}
    policy = next(m["content"] for m in metas if "http-equiv" in m)
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"
    assert {"name": "color-scheme", "content": "light dark"} in metas
    assert page.all("title")[0]["text"] == "Report on a release by KAnonymizer"
    assert len(page.all("h1")) == 1
    assert not page.all("h3")


def test_fragment_is_a_part():
    page = Page(fitted(y=illnesses()).report()._repr_html_())
    tops = [e for e in page.elements if not e["path"]]
    assert [e["tag"] for e in tops] == ["style", "div"]
    assert tops[1]["attrs"] == {"class": "skanon-report", "lang": "en"}
    assert len(page.all("h2")) == 1
    assert not page.all("h1")


def test_page_and_fragment_say_the_same():
    report = fitted(y=illnesses()).report()
    page, part = Page(report.to_html()), Page(report._repr_html_())
    assert page.tables() == part.tables()
    for tag in ("p", "text"):
        texts = [[e["text"] for e in x.all(tag)] for x in (page, part)]
        assert texts[0] == texts[1]
        assert texts[0]


def test_each_style_is_the_reports_own():
    text = fitted().report()._repr_html_()
    style = Page(text).all("style")[0]["text"]
    rules = re.sub(r"@media[^{]*\{", "", style)
    for selectors in re.findall(r"([^{}]+)\{", rules):
        for selector in selectors.split(","):
            assert selector.strip().startswith(".skanon-report"), selector
    for media in ("prefers-color-scheme: dark", "print", "max-width"):
        assert f"@media {media}" in style or f"@media ({media}" in style
    assert style.count("{") == style.count("}")


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_colours_are_far_enough_apart():
    style = Page(fitted().report().to_html()).all("style")[0]["text"]
    schemes = [
        dict(re.findall(r"--(\w+): (#\w{6})", block))
        for block in re.findall(r"\{[^{}]*--paper[^{}]*\}", style)
    ]
    assert len(schemes) == 3  # light, dark and paper
    for colours in schemes:
        for ink in ("ink", "faint"):
            for ground in ("paper", "head"):
                assert contrast(colours[ink], colours[ground]) >= 4.5
        assert contrast(colours["bar"], colours["paper"]) >= 3
        assert contrast(colours["bar"], colours["track"]) >= 3


# ---------------------------------------------------------------------------- content


def test_histogram():
    X = pd.DataFrame({"a": [1] * 2 + [2] * 2 + [3] * 2 + [4] * 3 + [5] * 5})
    page = Page(fitted(2, X=X).report().to_html())
    (drawing,) = page.all("svg")
    assert drawing["attrs"]["role"] == "img"
    assert drawing["attrs"]["aria-label"] == (
        "Classes by records: 3 classes of 2, 1 class of 3, 1 class of 5."
    )
    texts = [e["text"] for e in page.all("text", drawing)]
    assert texts == ["2", "3", "3", "1", "4", "0", "5", "1"]
    bars = page.all("rect", drawing)
    widths = [float(bar["attrs"]["width"].rstrip("%")) for bar in bars]
    assert widths == [60, 20, 0, 20]
    starts = {bar["attrs"]["x"] for bar in bars}
    assert len(starts) == 1
    tops = [float(bar["attrs"]["y"]) for bar in bars]
    heights = [float(bar["attrs"]["height"]) for bar in bars]
    assert tops == sorted(tops)
    assert all(
        a + h < b for a, b, h in zip(tops[:-1], tops[1:], heights[1:], strict=True)
    )
    assert tops[-1] + heights[-1] <= float(drawing["attrs"]["height"])


@pytest.mark.parametrize("sizes", [[2, 9], [2, 99_999]])
def test_histogram_stays_inside(sizes):
    X = pd.DataFrame({"a": np.repeat([1, 2], sizes)})
    page = Page(fitted(2, X=X).report().to_html())
    for bar in page.all("rect"):
        start, width = (float(bar["attrs"][x].rstrip("%")) for x in ("x", "width"))
        assert start + width <= 88  # what is right of it is the number
    least = 2 * max(len(e["text"]) for e in page.all("text"))
    assert all(float(b["attrs"]["x"].rstrip("%")) >= least for b in page.all("rect"))


def test_bars_are_as_long_as_the_losses():
    report = fitted(y=illnesses()).report()
    page, columns = Page(report.to_html()), report.to_dict()["columns"]
    widths = [
        float(e["attrs"]["style"].removeprefix("width:").rstrip("%"))
        for e in page.all("span")
        if e["attrs"]["class"] == "bar"
    ]
    wanted = [100 * x["losses"]["objective"] for x in columns]
    assert widths == pytest.approx(wanted, abs=0.051)
    assert max(widths) > 5


def test_bars_of_bits_are_scaled_to_the_largest():
    report = fitted(10, loss=MI()).report()
    columns = report.to_dict()["columns"]
    most = max(x["losses"]["objective"] for x in columns)
    assert most > 1
    text = report.to_html()
    assert f"a full bar is {most:.4g}" in text
    assert 'style="width:100.0%"' in text


def test_tables_hold_the_numbers():
    report = fitted(y=illnesses()).report()
    told, page = report.to_dict(), Page(report.to_html())
    by_column = page.table("Loss by quasi-identifier")
    assert by_column[0] == ["column", "objective", "GCP", "tree measure", "EM", "MI"]
    keys = (
        "objective",
        "global_certainty_penalty",
        "tree_measure",
        "entropy_loss",
        "mutual_information_loss",
    )
    for row, column in zip(by_column[1:], told["columns"], strict=True):
        assert row[0] == column["name"]
        wanted = [column["losses"][key] for key in keys]
        assert [float(x) for x in row[1:]] == pytest.approx(wanted, rel=1e-3)
    risks = page.table("Records at more than some risk")
    assert risks[1:] == [
        [f"{100 * x['risk']:.0f} %", str(x["records"]), f"{100 * x['share']:.4g} %"]
        for x in told["risk"]["records_above"]
    ]
    (sensitive,) = page.table("Sensitive attributes")[1:]
    (part,) = told["sensitive"]
    assert sensitive[:3] == ["y", "3", str(part["classes_of_one_value"])]
    wanted = [
        part["classification_metric"],
        part["class_entropy_diversity"],
        part["private_mutual_information_loss"],
        part["private_mutual_information_scores"]["l1"],
        part["private_mutual_information_scores"]["max"],
    ]
    assert [float(x) for x in sensitive[3:]] == pytest.approx(wanted, rel=1e-3)
    whole = page.table("Information loss")
    assert whole[1][:2] == [
        "LM(), the objective",
        f"{told['losses']['loss_metric']:.4g}",
    ]
    others = {row[0].split(",")[0]: row[1] for row in page.table("Lower is better")}
    assert others["C_avg / k"] == f"{told['metrics']['average_class_size_over_k']:.4g}"
    parameters = dict(page.table("Parameters"))
    assert parameters["k"] == "3"
    assert "hierarchies" not in parameters  # they are shown by column
    assert dict(page.table("Versions"))["python"] == told["versions"]["python"]


def test_a_loss_with_weights_stands_beside_the_plain_one():
    report = fitted(loss="ncp").report()
    heads = Page(report.to_html()).table("Loss by quasi-identifier")[0]
    assert heads == ["column", "objective", "LM", "tree measure", "EM", "MI"]
    both = fitted(loss=MI({"age": 2})).report()
    heads = Page(both.to_html()).table("Loss by quasi-identifier")[0]
    assert heads[2:] == ["LM", "GCP", "tree measure", "EM", "MI"]


# --------------------------------------------------------------------------- escaping


def test_names_are_shown_as_they_are():
    report = nasty_report()
    for text in (report.to_html(), report._repr_html_()):
        page = Page(text)
        names = [printable(name) for name in NASTY]
        for start in ("Loss by quasi-identifier", "Hierarchies and values"):
            assert [row[0] for row in page.table(start)[1:]] == names
        sensitive = [row[0] for row in page.table("Sensitive attributes")[1:]]
        assert sensitive == [f"sensitive {name}" for name in names]
        assert not page.all("img")
        assert not page.all("script")
        assert not page.all("b")
        assert "\x00" not in text


def test_names_of_columns_that_pass_through_are_escaped():
    X = people().assign(**{NASTY[0]: 1, NASTY[1]: 2})
    report = fitted(X=X, quasi_identifiers=["age", "pay"], sensitive=NASTY[1]).report()
    page = Page(report.to_html())
    assert {e["tag"] for e in page.elements} <= TAGS
    assert any(NASTY[0] in p["text"] for p in page.all("p"))


def test_title_and_reasons_are_escaped():
    report = fitted(y=illnesses()).report()
    told = report.to_dict()
    evil = "<b onclick='x'>\"&amp;"
    told["parameters"]["class"] = evil
    told["not_measured"] = [{"part": evil, "of": evil, "what": evil, "why": evil}]
    told["losses"]["objective"]["loss"] = evil
    told["columns"][0]["hierarchy"] = evil
    told["versions"]["python"] = evil
    told["parameters"]["parameters"] = {evil: evil, "b": [evil], "c": {"d": evil}}
    changed = type(report)(told)
    for text in (changed.to_html(), changed._repr_html_()):
        page = Page(text)
        assert {e["tag"] for e in page.elements} <= TAGS
        assert {name for e in page.elements for name in e["attrs"]} <= ATTRIBUTES
        assert page.table("What is missing")[1][1:] == [evil, evil]
    assert "<b" not in changed.to_markdown()


def test_escape():
    assert escape("<a href=\"x\" id='y'>&\n") == (
        "&lt;a href=&quot;x&quot; id=&#x27;y&#x27;&gt;&amp;"
    )
