"""Ready hierarchies for the shipped tables."""

from __future__ import annotations

from typing import Any

from skanon.hierarchies import Hierarchy, Intervals, from_nested

_EDUCATION = {
    "No diploma": {
        "Elementary school": ["Preschool", "1st-4th", "5th-6th", "7th-8th"],
        "Unfinished high school": ["9th", "10th", "11th", "12th"],
    },
    "Diploma below bachelor": {
        "HS-grad": None,
        "College below bachelor": {
            "Some-college": None,
            "Associate degree": ["Assoc-voc", "Assoc-acdm"],
        },
    },
    "Bachelor or above": {
        "Bachelors": None,
        "Graduate degree": ["Masters", "Prof-school", "Doctorate"],
    },
}

_WORKCLASS = {
    "Employee": {
        "Private": None,
        "Government": {
            "Federal-gov": None,
            "State or local government": ["Local-gov", "State-gov"],
        },
    },
    "Self-employed": ["Self-emp-inc", "Self-emp-not-inc"],
    "No earnings": ["Never-worked", "Without-pay"],
}

_MARITAL_STATUS = {
    "Married": {
        "Living with spouse": ["Married-civ-spouse", "Married-AF-spouse"],
        "Living apart": ["Married-spouse-absent", "Separated"],
    },
    "Not married": {
        "Never-married": None,
        "Formerly married": ["Divorced", "Widowed"],
    },
}

# The major families of the occupations that the census of 1990 used.
_OCCUPATION = {
    "White-collar": {
        "Managerial or professional": ["Exec-managerial", "Prof-specialty"],
        "Sales and support": ["Adm-clerical", "Sales", "Tech-support"],
    },
    "Blue-collar": {
        "Craft-repair": None,
        "Farming-fishing": None,
        "Operators and labourers": [
            "Handlers-cleaners",
            "Machine-op-inspct",
            "Transport-moving",
        ],
    },
    "Service or defence": {
        "Household or other service": ["Other-service", "Priv-house-serv"],
        "Protection": ["Armed-Forces", "Protective-serv"],
    },
}

_RELATIONSHIP = {
    "In a family": {
        "Spouse": ["Husband", "Wife"],
        "Family without spouse": ["Other-relative", "Own-child", "Unmarried"],
    },
    "Not-in-family": None,
}

_RACE = {
    "White": None,
    "Not White": {
        "Black": None,
        "Neither Black nor White": [
            "Amer-Indian-Eskimo",
            "Asian-Pac-Islander",
            "Other",
        ],
    },
}

# "South" stands with Korea's neighbours: 110 of its 115 people are of Asian race.
_NATIVE_COUNTRY = {
    "Americas": {
        "Northern America": {
            "Canada": None,
            "United States with territories": [
                "Outlying-US(Guam-USVI-etc)",
                "Puerto-Rico",
                "United-States",
            ],
        },
        "Latin America": {
            "Caribbean": [
                "Cuba",
                "Dominican-Republic",
                "Haiti",
                "Jamaica",
                "Trinadad&Tobago",
            ],
            "Central America": [
                "El-Salvador",
                "Guatemala",
                "Honduras",
                "Mexico",
                "Nicaragua",
            ],
            "South America": ["Columbia", "Ecuador", "Peru"],
        },
    },
    "Asia": {
        "East Asia": ["China", "Hong", "Japan", "South", "Taiwan"],
        "South-East Asia": ["Cambodia", "Laos", "Philippines", "Thailand", "Vietnam"],
        "South or West Asia": ["India", "Iran"],
    },
    "Europe": {
        "British Isles": ["England", "Ireland", "Scotland"],
        "Eastern Europe": ["Hungary", "Poland"],
        "Southern Europe": ["Greece", "Italy", "Portugal", "Yugoslavia"],
        "Western Europe": ["France", "Germany", "Holand-Netherlands"],
    },
}

_FOUR_LEVELS = {
    "low or medium-low": ["low", "medium-low"],
    "medium-high or high": ["medium-high", "high"],
}


def _tree(below: Any) -> Hierarchy:
    return from_nested({"*": below})


def adult_hierarchies() -> dict[str, Hierarchy]:
    """Give each attribute of Adult its hierarchy, in the table's order."""
    return {
        "age": Intervals(),
        "workclass": _tree(_WORKCLASS),
        "fnlwgt": Intervals(),
        "education": _tree(_EDUCATION),
        "education-num": Intervals(),
        "marital-status": _tree(_MARITAL_STATUS),
        "occupation": _tree(_OCCUPATION),
        "relationship": _tree(_RELATIONSHIP),
        "race": _tree(_RACE),
        "sex": _tree(["Female", "Male"]),
        "capital-gain": Intervals(),
        "capital-loss": Intervals(),
        "hours-per-week": Intervals(),
        "native-country": _tree(_NATIVE_COUNTRY),
    }


def cmc_hierarchies() -> dict[str, Hierarchy]:
    """Give each attribute of CMC its hierarchy, in the table's order."""
    return {
        "wife_age": Intervals(),
        "wife_education": _tree(_FOUR_LEVELS),
        "husband_education": _tree(_FOUR_LEVELS),
        "n_children": Intervals(),
        "wife_religion": _tree(["Islam", "Non-Islam"]),
        "wife_working": _tree(["No", "Yes"]),
        "husband_occupation": _tree(["occ1", "occ2", "occ3", "occ4"]),
        "standard_of_living": _tree(_FOUR_LEVELS),
        "media_exposure": _tree(["Good", "Not good"]),
    }


def art_hierarchies() -> dict[str, Hierarchy]:
    """Build the permissible subsets of the artificial data.

    Gionis, Mazza and Tassa, "k-Anonymization Revisited", section VI. A published
    collection is laminar: of two subsets that meet, one lies inside the other.
    """
    pairs = {"a1-a2": _names(1, 2), "a3-a4": _names(3, 4)}
    below = {
        "A1": _names(1, 2),
        "A2": pairs,
        "A3": pairs,
        "A4": {
            "a1-a12": {"a1-a6": _names(1, 6), "a7-a12": _names(7, 12)},
            "a13-a25": {"a13-a18": _names(13, 18), "a19-a25": _names(19, 25)},
        },
        "A5": {
            "a1-a5": {**pairs, "a5": None},
            "a6-a10": {"a6-a7": _names(6, 7), "a8-a9": _names(8, 9), "a10": None},
        },
        "A6": {
            "a1-a2": _names(1, 2),
            "a3-a5": {"a3": None, "a4-a5": _names(4, 5)},
        },
    }
    return {name: _tree(subsets) for name, subsets in below.items()}


def _names(first: int, last: int) -> list[str]:
    return [f"a{i}" for i in range(first, last + 1)]
