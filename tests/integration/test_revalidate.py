"""The scheduled re-validation of a release, seen from Prefect and from prefect.yaml."""

import importlib
from pathlib import Path

import pytest
import yaml
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterKey

from flows.plan import BUNDLED_CORPUS
from flows.revalidate import revalidate
from flows.server import Server
from schemas.errors import MachineryError, UsageError
from schemas.scenarios import CHECKS
from schemas.skeletons import SKELETONS
from tests.fakes.lending_shed_home import publish_shed
from tests.integration.test_verify import tamper

ROOT = BUNDLED_CORPUS.parent.parent.parent


def summaries() -> list[str]:
    with get_client(sync_client=True) as client:
        wanted = ArtifactFilter(key=ArtifactFilterKey(any_=["revalidate"]))
        return [str(each.data) for each in client.read_artifacts(artifact_filter=wanted)]


def test_a_release_that_holds_is_said_to(prefect_server: Server, tmp_path: Path) -> None:
    publish_shed(tmp_path)

    assert revalidate(home=tmp_path) == 2
    assert "## release 1: 2 of 2 scenarios hold" in summaries()


def test_what_no_longer_holds_fails_the_flow_and_is_listed(prefect_server: Server, tmp_path: Path) -> None:
    publish_shed(tmp_path)
    tamper(tmp_path, CHECKS, lambda row: row.model_copy(update={"code": row.code + "# the same\n"}))

    with pytest.raises(MachineryError, match="2 of 2 scenarios of release 1 no longer hold, such as scn_"):
        revalidate(release="1", home=tmp_path)
    (told,) = [each for each in summaries() if "0 of 2" in each]
    assert told.count("| neighbourhood-lending-shed | content_changed |") == 2


def test_rows_that_no_proof_notices_fail_the_flow_as_well(prefect_server: Server, tmp_path: Path) -> None:
    publish_shed(tmp_path)
    tamper(tmp_path, SKELETONS, lambda row: row.model_copy(update={"policy": "Do whatever you like."}))

    with pytest.raises(MachineryError, match="The rows of release 1 are not those that were published"):
        revalidate(home=tmp_path)
    (told,) = [each for each in summaries() if "not those that were published" in each and "2 of 2" in each]
    assert "as many rows as published, but not the same" in told


def test_a_home_without_a_release_is_refused(prefect_server: Server, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no release"):
        revalidate(home=tmp_path)


def test_every_deployment_names_a_flow_that_takes_its_parameters() -> None:
    declared = yaml.safe_load((ROOT / "prefect.yaml").read_text(encoding="utf-8"))["deployments"]

    assert [each["name"] for each in declared] == ["nightly", "weekly", "tiny"]
    for each in declared:
        file, name = each["entrypoint"].split(":")
        flow = getattr(importlib.import_module(file.removesuffix(".py").replace("/", ".")), name)
        flow.validate_parameters(each["parameters"])
