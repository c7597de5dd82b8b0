"""The package as it is installed, and the rooms as they are imported."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

ASK_FOR_A_PAGE_AND_ITS_ASSETS = """
import re, webapp
from webapp.web import create_app
visitor = create_app().test_client()
page = visitor.get("/")
assets = re.findall(r'(?:src|href)="(/[^"]+\\.(?:css|js|svg)[^"]*)"', page.text)
print(webapp.__file__)
print(page.status_code, *sorted({visitor.get(asset).status_code for asset in assets}))
"""

IMPORT_THE_CORE = """
import pkgutil, sys, webapp.core
for module in pkgutil.walk_packages(webapp.core.__path__, "webapp.core."):
    __import__(module.name)
print(*sorted({name.partition(".")[0] for name in sys.modules} & set(sys.argv[1:])))
"""


def output(*command: str | Path, folder: Path = ROOT) -> str:
    """What a command prints; it must succeed."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the built wheel; what it depends on is borrowed from this one."""
    folder = tmp_path_factory.mktemp("installed")
    output(
        *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"),
        *("--no-index", "--wheel-dir", folder, ROOT),
    )
    (wheel,) = folder.glob("*.whl")
    venv.create(folder / "env", with_pip=False)
    python = folder / "env" / "bin" / "python"
    output(
        *(sys.executable, "-m", "pip", "--python", python, "install", "--quiet"),
        *("--no-deps", "--no-index", wheel),
    )
    packages = Path(output(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"))
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
    return folder / "env"


def test_an_installed_wheel_serves_its_page_and_assets(installed: Path, tmp_path: Path) -> None:
    python = installed / "bin" / "python"
    place, *_, statuses = output(
        python, "-c", ASK_FOR_A_PAGE_AND_ITS_ASSETS, folder=tmp_path
    ).splitlines()
    assert Path(place).is_relative_to(installed)
    assert statuses == "200 200"


def test_an_installed_wheel_has_the_command(installed: Path, tmp_path: Path) -> None:
    assert (
        "unique attributes"
        in output(installed / "bin" / "lockwright", "--help", folder=tmp_path).lower()
    )


def test_the_core_loads_no_web_framework_and_no_client() -> None:
    unwanted = ("boto3", "botocore", "flask", "jinja2", "urllib3", "werkzeug")
    assert output(sys.executable, "-c", IMPORT_THE_CORE, *unwanted) == ""


def test_the_locked_versions_name_no_registry() -> None:
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert "://" not in lock
    assert "--index" not in lock
