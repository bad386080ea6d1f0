"""Files are written whole or not at all, whatever stands at their place."""

import os
import stat
import threading

import pytest

from corefine.errors import CorefineError
from corefine.output.saving import write_atomically


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("data", ["zwölf\n", "zwölf\n".encode(), [b"zw\xc3", b"\xb6lf\n"]])
def test_text_bytes_and_pieces(tmp_path, data):
    path = tmp_path / "out.txt"
    write_atomically(path, data)
    assert path.read_bytes() == "zwölf\n".encode()
    assert os.listdir(tmp_path) == ["out.txt"]


def test_standard_output(capfdbinary):
    write_atomically("-", [b"a", b"b\n"])
    assert capfdbinary.readouterr().out == b"ab\n"


def test_a_new_file_follows_the_umask_and_an_old_one_keeps_its_permissions(tmp_path):
    path = tmp_path / "out.txt"
    before = os.umask(0o027)
    try:
        write_atomically(path, "one")
        assert mode_of(path) == 0o640
        path.chmod(0o604)
        write_atomically(path, "two")
    finally:
        os.umask(before)
    assert mode_of(path) == 0o604
    assert path.read_text() == "two"


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_a_link(tmp_path, exists):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    target, link = folder / "target.txt", tmp_path / "link.txt"
    if exists:
        target.write_text("old")
    link.symlink_to(target)
    write_atomically(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert os.listdir(folder) == ["target.txt"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, error):
    path = tmp_path / "out.txt"
    path.write_text("old")

    def pieces():
        yield b"half of it"
        raise error

    with pytest.raises(error):
        write_atomically(path, pieces())
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.txt"]


@pytest.mark.parametrize("name", ["missing/out.txt", "folder", "file/out.txt", "loop"])
def test_an_error_names_the_path(tmp_path, name):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(CorefineError) as caught:
        write_atomically(tmp_path / name, "text")
    assert str(caught.value).startswith(f"{tmp_path / name}: cannot")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder", "loop"]


@pytest.mark.skipif(os.name != "posix", reason="devices and pipes of POSIX")
def test_devices_and_pipes_are_written_to_and_stay(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    received = []
    reader = threading.Thread(target=lambda: received.append(pipe.read_text()), daemon=True)
    reader.start()
    write_atomically(pipe, "text")
    reader.join(20)
    assert received == ["text"]
    assert pipe.is_fifo()
    write_atomically("/dev/null", "text")
    with pytest.raises(CorefineError, match="no space left"):
        write_atomically("/dev/full", "text")
    assert all(stat.S_ISCHR(os.stat(place).st_mode) for place in ("/dev/null", "/dev/full"))


def test_a_name_as_long_as_a_folder_allows(tmp_path):
    path = tmp_path / ("n" * 255)
    write_atomically(path, "text")
    assert path.read_text() == "text"
