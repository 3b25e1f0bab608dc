"""Collected files are compressed once: the web server starts with collecting them."""

import gzip
import os

from booookweb.static_files import CompressedOnceStorage


def test_a_file_is_compressed_when_it_is_new_or_changed_and_not_again(tmp_path):
    storage = CompressedOnceStorage(location=tmp_path, base_url="/static/")
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
