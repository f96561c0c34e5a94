"""The list of lessons: a picture, a sentence and minutes for each, from the numbers of the lesson."""

import html5lib

from capstats.datasets import paper_originals
from capstats.lessons.contents import HIGH, contents, pictures
from capstats.lessons.pages import LESSONS


def entries():
    root = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(contents())
    return {item.find("div/a").get("href").removesuffix(".html"): item for item in root.iter("li")}


def test_each_has_a_picture_its_sentence_and_its_minutes():
    found = entries()
    assert set(found) == {*LESSONS, "browser"}
    for name, item in found.items():
        drawn = [path.get("d").count("h0") for path in item.iter("{http://www.w3.org/2000/svg}path")]
        assert drawn == [dots for column in pictures()[name] for dots in column]
        assert sum(drawn) > 0
        if name in LESSONS:
            words = " ".join("".join(item.itertext()).split())
            assert LESSONS[name].sentence in words
            assert ("minutes." in words) == (LESSONS[name].minutes > 0) == (name != "number")


def test_the_pictures_are_of_the_numbers_of_the_lessons():
    found = pictures()
    assert sum(map(sum, found["hands"])) == 20
    assert found["hands"][2] == (0, 1)
    assert [marked > 0 for _, marked in found["average"]] == [False] * 9 + [True]
    assert found["average"][8] == (0, 0)
    asthma_over_65 = int(paper_originals().sel(original="O_3").values[1, 2])
    assert asthma_over_65 == 93
    low, high = (sum(column) for column in found["guessing"])
    assert (low, high) == (6, HIGH)  # 171 and 269 people
    assert [marked for _, marked in found["law"]] == [0] * 9 + [1] * 2
    heights = [sum(column) for column in found["protection"]]
    assert heights == sorted(heights, reverse=True)
    assert [marked > 0 for _, marked in found["tables"]].count(True) == 3
    for name in ("number", "browser"):
        without, release, original = map(sum, found[name])
        assert without < release <= original == HIGH
