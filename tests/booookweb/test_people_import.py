"""Lists of people: what each row does is shown first, and all of a list is stored or nothing."""

import csv
import io
import re
from urllib.parse import unquote

import pytest
from django.conf import global_settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.access import annotator_of
from annotation.models import StudyMember
from annotation.services.studies import add_member, add_summaries, close_study, create_study, open_annotating
from annotation.services.withdrawals import withdraw
from booookweb.models import Role, User
from booookweb.people_csv import Row, UnreadableList, read_list
from booookweb.services.people_import import import_people
from tests.factories import make_annotator, make_summary, make_user

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "text",
    [
        "username,studies\nmara,pilot other\nrolf,\n",
        "\ufeffusername;studies\r\nmara;pilot other\r\nrolf;\r\n",
        "Username\tStudy\rmara\tpilot|other\rrolf\r",
        'name,studies\n"mara","pilot, other"\nrolf',
    ],
)
def test_lists_of_all_spreadsheets_are_read(text):
    assert read_list(text) == [Row(2, "mara", ("pilot", "other")), Row(3, "rolf", ())]


def test_rows_are_numbered_as_in_a_spreadsheet():
    assert read_list("username\n\nmara\n") == [Row(3, "mara", ())]
    assert read_list("\nusername\nmara\n") == [Row(3, "mara", ())]


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("", ["must name the columns"]),
        ("username\n", ["The list has no people."]),
        ("mara\nrolf\n", ["must name the columns"]),
        ("username,role\nmara,admin\n", ["All become annotators"]),
        ("username,name\nmara,rolf\n", ["must name the columns"]),
        ("username\nmara\nMara\n", ["Row 3: “Mara” stands in row 2 already."]),
        ("username,studies\nmara,a,b\n", ["Row 2 has more cells than the heading."]),
        ("username,studies\n,pilot\n", ["Row 2 has no name."]),
        ('username\n"mara\n', ["can’t be read as CSV"]),
        ("username\nma\0ra\n", ["characters that no text has"]),
        ("username\n" + "".join(f"p{number}\n" for number in range(501)), ["501 people; at most 500"]),
        ("username\n" + "x" * 200_000, ["larger than 200 kB"]),
        *[
            (f"username\n{cell}\n", ["Row 2:", "begins like a formula"])
            for cell in ("=1+1", "+mara", "-mara", "@mara", "＋mara", "＠mara")
        ],
        ("username\nmara\nｍａｒａ\n", ["Row 3: “mara” stands in row 2 already."]),
    ],
)
def test_what_is_wrong_with_a_list_is_said_with_the_row(text, problems):
    with pytest.raises(UnreadableList) as raised:
        read_list(text)
    assert all(problem in str(raised.value) for problem in problems)


@pytest.fixture
def study():
    study = create_study(name="pilot", title="The pilot", review_overlap=0)
    add_summaries(study=study, summaries=[make_summary()])
    return study


@pytest.fixture
def researcher(client):
    user = make_user(Role.RESEARCHER, "rosa")
    client.force_login(user)
    return user


def send(client, text, **fields):
    return client.post(reverse("people-import"), {"text": text} | fields)


def body(response):
    return response.content.decode()


def iterations(person):
    return int(person.password.split("$")[1])


def test_a_preview_stores_nothing_and_the_import_gives_one_time_passwords(client, study, researcher, settings):
    settings.PASSWORD_HASHERS = global_settings.PASSWORD_HASHERS
    add_member(study=study, annotator=make_annotator())
    open_annotating(study=study)
    study.refresh_from_db()
    study.annotation_overlap = 3
    study.save()
    add_member(study=study, annotator=annotator_of(make_user(name="Anna")), reviews=False)
    file = SimpleUploadedFile("people.csv", "username;studies\nmärta;pilot\nanna;pilot\nrolf;\n".encode("utf-8-sig"))
    shown = client.post(reverse("people-import"), {"file": file})
    assert (shown.status_code, User.objects.filter(username="märta").exists()) == (200, False)
    assert "Import 3 people" in body(shown)
    assert "a member already" in body(shown)

    text = re.search(r"<textarea name=\"text\"[^>]*>\n(.*?)</textarea>", body(shown), re.DOTALL).group(1)
    done = send(client, text, action="import")
    assert "no-store" in done["Cache-Control"]
    data = re.search(r'href="data:text/csv;charset=utf-8,([^"]+)"', body(done)).group(1)
    rows = {row["username"]: row for row in csv.DictReader(io.StringIO(unquote(data).removeprefix("\ufeff")))}
    assert list(rows) == ["märta", "Anna", "rolf"]
    assert rows["Anna"]["password"] == ""
    assert rows["märta"]["studies"] == "pilot"
    assert rows["märta"]["address"] == "http://testserver/login/"
    martha = User.objects.get(username="märta")
    assert (martha.role, martha.must_change_password) == (Role.ANNOTATOR, True)
    assert rows["märta"]["password"] not in str(User.objects.values().get(pk=martha.pk))
    assert study.assignments.filter(annotator__user=martha).exists()
    anna = StudyMember.objects.get(annotator__user__username="Anna")
    assert anna.reviews is False  # as it was
    assert not StudyMember.objects.filter(annotator__user__username="rolf").exists()

    assert iterations(martha) == 20_000  # enough for a random password, for as long as it lasts
    assert Client().login(username="märta", password=rows["märta"]["password"])
    martha.refresh_from_db()
    assert iterations(martha) > 20_000
    again = send(client, text, action="import")
    assert body(again).count("had an account") == 3


def test_nothing_is_stored_if_any_row_is_bad(client, study, researcher):
    closed = create_study(name="over")
    add_summaries(study=closed, summaries=[make_summary()])
    type(closed).objects.filter(pk=closed.pk).update(phase="annotating")
    closed.refresh_from_db()
    close_study(study=closed)
    User.objects.create(username="shut", is_active=False)
    gone = make_user(name="gone")
    add_member(study=study, annotator=annotator_of(gone))
    withdraw(study=study, annotator=annotator_of(gone), by=gone)
    people = User.objects.count()
    text = "username,studies\ngood,pilot\nwe ird,\nx,nowhere\ny,over\nshut,\ngone,pilot\n"
    for action in ("", "import"):
        answer = send(client, text, action=action)
        assert answer.status_code == 400
        for problem in (
            "Row 3: “we ird” can’t be a name.",
            "Row 4: there is no study “nowhere”.",
            "Row 5: the study “over” is closed.",
            "Row 6: the account of shut is closed.",
            "Row 7: gone withdrew from “pilot”",
        ):
            assert problem in body(answer)
        assert "Row 2" not in body(answer)
    assert User.objects.count() == people


def test_a_name_that_is_taken_between_preview_and_import_is_the_same_person(study):
    make_user(name="Mara")
    (mara,) = import_people("username,studies\nmara,pilot\n")
    assert (mara.name, mara.password, mara.studies) == ("Mara", "", ("pilot",))


@pytest.mark.parametrize("data", [b"username\n\xff\xfe\n", "username\nmara\n".encode("utf-16")])
def test_a_file_in_another_encoding_is_refused(client, researcher, data):
    answer = client.post(reverse("people-import"), {"file": SimpleUploadedFile("people.csv", data)})
    assert (answer.status_code, "not in UTF-8" in body(answer)) == (400, True)


def test_annotators_import_nobody(client):
    client.force_login(make_user())
    assert send(client, "username\nmara\n", action="import").status_code == 403
    assert not User.objects.filter(username="mara").exists()
