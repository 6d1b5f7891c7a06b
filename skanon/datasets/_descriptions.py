"""What the shipped tables are, where they come from and what their columns mean."""

from __future__ import annotations

import textwrap
from typing import NamedTuple


class About(NamedTuple):
    """What there is to say about a table.

    Attributes
    ----------
    title, prose, source, licence : str
        The prose may have several paragraphs.
    columns : dict of str to str
        What each column is, in the table's order; the target is the last.
    """

    title: str
    prose: str
    source: str
    licence: str
    columns: dict[str, str]

    def describe(self) -> str:
        """Write all of it as one text."""
        listed = "\n".join(
            _wrap(f"- {name}: {text}", indent="  ")
            for name, text in self.columns.items()
        )
        return "\n\n".join(
            [
                f"{self.title}\n{'=' * len(self.title)}",
                self.prose.strip(),
                f"Columns\n-------\n{listed}",
                f"Source\n------\n{_wrap(self.source)}",
                f"Licence\n-------\n{_wrap(self.licence)}",
            ]
        )


def _wrap(text: str, indent: str = "") -> str:
    # values such as Holand-Netherlands and addresses must stay in one piece
    return textwrap.fill(
        text,
        80,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )


_CC_BY = (
    "Creative Commons Attribution 4.0 International (CC BY 4.0), "
    "https://creativecommons.org/licenses/by/4.0/. Whoever passes the table on names "
    "its creators and says what was changed."
)

ADULT = About(
    title="Adult",
    prose="""
48,842 people from a survey of the United States Census Bureau of 1994, with 14
attributes each, and whether they earn more than 50,000 dollars a year. 45,222 of
the records are complete (11,208 above 50K, 34,014 at most 50K); the others lack
workclass, occupation or native-country. UCI's training part comes first, its
test part second, both in their own order. Changed against UCI: blanks are
trimmed, the full stop after the test part's incomes is gone, and "?" is read as
missing.

Quasi-identifiers are at least age, workclass, education, marital-status,
occupation, race, sex and native-country: neighbours, employers and registers
know them. Three columns need care:

- education-num says the same as education. Where one is a quasi-identifier, so
  must the other be, or it has to be dropped: left as it is, it would undo the
  other's generalization.
- fnlwgt, a weight of the survey, is the same for few people (28,523 distinct
  values), so whoever has the survey's file finds people by it. Drop it, or count
  it among the quasi-identifiers.
- capital-gain and capital-loss are mostly 0, but their rare values stand out.

Published comparisons of k-anonymizers use all 14 attributes, or the eight above.
income is the sensitive attribute.
""",
    source=(
        "Becker, B. and Kohavi, R. (1996). Adult [Dataset]. UCI Machine Learning "
        "Repository. https://doi.org/10.24432/C5XW20. Extracted from the Current "
        "Population Survey of the United States Census Bureau."
    ),
    licence=_CC_BY,
    columns={
        "age": "age in years, 17 to 90; 90 stands for 90 and above",
        "workclass": "kind of employer; may be missing",
        "fnlwgt": (
            "how many people of the population the record stands for, by the survey's "
            "weighting"
        ),
        "education": "highest level of education reached",
        "education-num": "the same as a number, 1 (Preschool) to 16 (Doctorate)",
        "marital-status": (
            "marital status; civ is a civilian spouse, AF one in the armed forces"
        ),
        "occupation": "kind of work; may be missing",
        "relationship": (
            "place in the household: Unmarried heads a family without a spouse, "
            "Not-in-family lives with no relatives"
        ),
        "race": "race, as the survey asked for it",
        "sex": "Female or Male",
        "capital-gain": (
            "gains from selling assets in the year, in dollars; 99999 stands for more"
        ),
        "capital-loss": "losses from selling assets in the year, in dollars",
        "hours-per-week": "hours of work in a usual week, 1 to 99",
        "native-country": (
            "country of birth in UCI's spelling (Columbia, Hong, Holand-Netherlands; "
            "South is most likely South Korea); may be missing"
        ),
        "income": "yearly income in dollars, <=50K or >50K; the target",
    },
)

CMC = About(
    title="Contraceptive Method Choice",
    prose="""
1,473 married women of Indonesia who at the time of the interview were not
pregnant or did not know whether they were, with nine attributes of the woman,
her husband and their household, and the contraceptive method that she used: 629
none, 333 a long-term one, 511 a short-term one. No value is missing. It is part
of the National Indonesia Contraceptive Prevalence Survey of 1987.

UCI publishes codes. Here they are replaced by their meanings: the four levels of
education and of the standard of living, of which UCI names only the ends, are
called low, medium-low, medium-high and high; UCI does not say what the four
occupations are, so they stay occ1 to occ4.

All nine attributes can be regarded as quasi-identifiers, since neighbours and
relatives know them. contraceptive_method is the sensitive attribute.
""",
    source=(
        "Lim, T.-S. (1997). Contraceptive Method Choice [Dataset]. UCI Machine "
        "Learning Repository. https://doi.org/10.24432/C59W2D."
    ),
    licence=_CC_BY,
    columns={
        "wife_age": "the woman's age in years, 16 to 49",
        "wife_education": "her education: low, medium-low, medium-high, high",
        "husband_education": "her husband's education, in the same four levels",
        "n_children": "how many children she has borne, 0 to 16",
        "wife_religion": "Islam or Non-Islam",
        "wife_working": "whether she works at present, Yes or No",
        "husband_occupation": "occ1 to occ4; UCI does not say what they are",
        "standard_of_living": (
            "the household's index of living standard: low, medium-low, medium-high, "
            "high"
        ),
        "media_exposure": "exposure to the media, Good or Not good",
        "contraceptive_method": "No-use, Long-term or Short-term; the target",
    },
)

ART = About(
    title="Artificial data (ART)",
    prose="""
Records of six attributes, drawn independently of each other and of the other
records from fixed distributions. The hierarchies are the permissible subsets
that were published along with the distributions. A label such as a1-a6 stands
for the values from a1 to a6. All six attributes are quasi-identifiers; there is
no target.
""",
    source=(
        "Gionis, A., Mazza, A. and Tassa, T. (2008). k-Anonymization Revisited. "
        "International Conference on Data Engineering (ICDE), section VI."
    ),
    licence="Generated; free of rights.",
    columns={
        "A1": "2 values, with probabilities 0.7 and 0.3",
        "A2": "4 values: 0.3 twice, 0.2 twice",
        "A3": "4 values: 0.25 twice, 0.4, 0.1",
        "A4": "25 values: 0.07 six times, 0.04 ten times, 0.02 nine times",
        "A5": "10 values, 0.1 each",
        "A6": "5 values: 0.05 twice, 0.5, 0.3, 0.1",
    },
)
