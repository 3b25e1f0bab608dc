"""The released data of the BooookScore study must give the published figures (arXiv 2310.00785) and those of
../shared/data/README.md."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def release(shared_data, shared_rows):
    """The folder, imported as the study "paper"."""
    folder = shared_data / "booookscore"
    import_as("paper", folder, "published")
    return folder


def import_as(study, folder, absent):
    call_command("import_release", str(folder), study=study, absent=absent, stdout=StringIO())


def figures(study):
    output = StringIO()
    call_command("report", study, stdout=output)
    return json.loads(output.getvalue())


def judge(report, name):
    system = next(system for system in report["systems"] if system["system"] == name)
    [found] = system["judges"]
    return round(100 * found["score"], 2), found["n"]


def test_figures_of_the_paper(release):
    report = figures("paper")
    system = next(system for system in report["systems"] if system["system"] == "gpt4-4096-inc")
    assert (system["summaries"], system["sentences"]) == (100, 4660)
    human, paired = system["human"], system["judges"][0]["paired"]
    assert (human["n"], human["annotations"]) == (100, 840)
    assert human["published"] == pytest.approx(0.8214, abs=5e-5)
    assert human["sentence"] == pytest.approx(0.7943, abs=5e-5)
    assert {name: judge(report, name) for name in SCORES} == SCORES
    # The study's seed is drawn, and the deviation of 1,000 resamples has a standard error of 1 / sqrt(2,000), 2.2 %.
    assert system["judges"][0]["bootstrap_sd"] == pytest.approx(0.015, abs=0.002)
    assert paired["n"] == 98
    assert paired["sentences"] == 4559
    for key, value in {
        "human_published": 0.8288,
        "human_sentence": 0.8025,
        "judge": 0.8238,
    }.items():
        assert paired[key] == pytest.approx(value, abs=6e-5)
    for key, value in {
        "pearson": 0.407,
        "spearman": 0.425,
        "kendall": 0.302,
        "kappa": 0.150,
        "f1": 0.310,
        "prevalence_human": 0.197,
        "prevalence_judge": 0.181,
    }.items():
        assert paired[key] == pytest.approx(value, abs=6e-4)
    agreed = next(row for row in report["agreement"]["judges"][0]["systems"] if row["name"] == "gpt4-4096-inc")
    assert (agreed["summaries"], agreed["sentences"]) == (98, 4559)
    for key in ("kappa", "f1", "precision", "recall"):
        assert agreed[key]["value"] == pytest.approx(paired[key])
        assert agreed[key]["ci95"][0] < paired[key] < agreed[key]["ci95"][1]
    precision = {source["source"]: source for source in report["precision"]}
    assert (precision["human"]["agree"], precision["human"]["partial"], precision["human"]["n"]) == (499, 113, 768)
    assert (precision["gpt-4"]["agree"], precision["gpt-4"]["partial"], precision["gpt-4"]["n"]) == (359, 164, 669)
    assert_preferences(report["preferences"], release)


#: In percent, with the number of scored summaries.
SCORES = {
    "gpt4-4096-inc": (82.38, 98),
    "chatgpt-2048-hier": (84.51, 98),
    "llama2-2048-hier": (72.35, 98),
    "mixtral_2048_inc": (64.32, 98),
    "chatgpt-2048-inc": (77.95, 100),
}


def assert_preferences(preferences, release):
    """Every question of every round sums up to the released totals."""
    folder = release / "annotations/human_annotations/qualitative_comparison"
    for round_name in ("pilot", "formal"):
        totals = [json.loads(path.read_text()) for path in (folder / round_name).glob("*-counts.json")]
        asked = preferences["rounds"][round_name]["questions"]
        for question in ("Detail", "Structure", "Logic", "Preference"):
            for method in ("inc", "hier"):
                expected = sum(total[question][method] for total in totals)
                assert asked[question.lower()][f"gpt4-4096-{method}"] == expected
            assert asked[question.lower()]["draw"] == sum(total[question]["draw"] for total in totals)
        assert asked["contradiction"]["yes"] == sum(total["Contradiction"] for total in totals)
        for method in ("inc", "hier"):
            expected = sum(total[f"{method.title()} Omission"] for total in totals)
            assert asked["omission"][f"gpt4-4096-{method}"]["yes"] == expected
    pooled = next(each for each in preferences["tests"] if each["question"] == "preference" and not each["round"])
    assert (pooled["chose_first"], pooled["chose_second"], pooled["draws"]) == (3 + 13 + 7, 2 + 7 + 12, 1)
    # 23 of 44: all but the 22 of 44, C(44, 22) of 2^44.
    assert pooled["p"] == pytest.approx(1 - 2104098963720 / 2**44)


@pytest.mark.once
@pytest.mark.parametrize(
    ("absent", "scores"),
    [
        (
            "nothing-found",
            {
                "gpt4-4096-inc": (82.74, 100),
                "chatgpt-2048-hier": (84.82, 100),
                "llama2-2048-hier": (72.90, 100),
                "mixtral_2048_inc": (64.45, 100),
                "chatgpt-2048-inc": (77.95, 100),
            },
        ),
        ("not-judged", {"chatgpt-2048-hier": (83.13, 90)}),
    ],
)
def test_other_readings_of_an_absent_book(release, absent, scores):
    """In another study, which shares the summaries."""
    import_as(absent, release, absent)
    report = figures(absent)
    assert {name: judge(report, name) for name in scores} == scores
