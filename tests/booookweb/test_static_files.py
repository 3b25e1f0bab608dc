"""Collected files are put together and compressed once: the web server starts with collecting them."""

import gzip
import os

from django.core.files.storage import FileSystemStorage

from booookweb.static_files import StaticFilesStorage


def test_a_file_is_compressed_when_it_is_new_or_changed_and_not_again(tmp_path):
    storage = StaticFilesStorage(location=tmp_path, base_url="/static/")
    file, compressed = tmp_path / "page.css", tmp_path / "page.css.gz"

    def made():
        return [name for _, name, _ in storage.post_process({"page.css": (storage, "page.css")})]

    file.write_text("p { margin: 0 }\n" * 50)
    assert made() == ["page.css.gz"]
    assert made() == []
    file.write_text("p { margin: 1px }\n" * 50)
    os.utime(file, (0, compressed.stat().st_mtime + 1))
    assert made() == ["page.css.gz"]
    assert gzip.decompress(compressed.read_bytes()) == file.read_bytes()
    assert made() == []


def test_a_collected_stylesheet_holds_what_it_imports_as_that_is_now(tmp_path):
    source = FileSystemStorage(location=tmp_path / "source")
    collected = StaticFilesStorage(location=tmp_path / "collected", base_url="/static/")
    files = {
        "css/page.css": '/* All. */\n@import "page/one.css";\n@import "page/two.css";\np { margin: 0 }\n',
        "css/page/one.css": "a { color: red }\n" * 50,
        "css/page/two.css": "i { color: blue }\n",
    }
    for path, text in files.items():
        for folder in (tmp_path / "source", tmp_path / "collected"):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)

    def made():
        return {name for _, name, _ in collected.post_process({path: (source, path) for path in files})}

    page = tmp_path / "collected/css/page.css"
    assert made() == {"css/page.css.gz", "css/page/one.css.gz"}
    assert page.read_text() == "/* All. */\n" + "a { color: red }\n" * 50 + "\ni { color: blue }\n\np { margin: 0 }\n"
    assert made() == set()
    (tmp_path / "source/css/page/two.css").write_text("i { color: green }\n")
    assert made() == {"css/page.css.gz"}
    text = "/* All. */\n" + "a { color: red }\n" * 50 + "\ni { color: green }\n\np { margin: 0 }\n"
    assert page.read_text() == text
    assert gzip.decompress((tmp_path / "collected/css/page.css.gz").read_bytes()).decode() == text
