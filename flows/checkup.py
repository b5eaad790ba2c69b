"""What a run stands on besides the sandbox: the endpoint, the home folder with its releases, the Prefect server."""

import http.client
import json
import shutil
import tempfile
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from flows.composition import configured_endpoint
from flows.homes import LEAST_FREE_BYTES
from flows.server import find_server, is_healthy
from schemas.errors import UsageError
from schemas.settings import Settings

if TYPE_CHECKING:
    from tasks.authors.llm.settings import EndpointSettings

_TIMEOUT_S = 3.0
_LONGEST_LIST = 4 * 2**20


@dataclass(frozen=True, slots=True)
class EndpointReport:
    """The model behind --author llm. Nothing in it holds the key."""

    works: bool
    """Also where none is configured: the built-in author needs none."""
    state: Literal["not_configured", "wrongly_configured", "unreachable", "refused", "reachable"]
    base_url: str | None
    model: str | None
    is_model_listed: bool | None
    """Null when the endpoint gives no list of its models."""
    detail: str
    advice: str | None


@dataclass(frozen=True, slots=True)
class WarehouseReport:
    """The home folder and the release in it."""

    works: bool
    home: str
    is_writable: bool
    free_mib: int | None
    """Null when that can't be told."""
    release_id: str | None
    """Null while nothing is published."""
    release_number: int | None
    detail: str
    advice: str | None


@dataclass(frozen=True, slots=True)
class ServerReport:
    """The Prefect server that a run would use."""

    works: bool
    state: Literal["configured", "running", "none"]
    """configured: PREFECT_API_URL or a profile names it. running: one of this home. none: a run starts its own."""
    api_url: str | None
    detail: str
    advice: str | None


@dataclass(frozen=True, slots=True)
class _Listing:
    """What asking for the models came to; `status` is null when no answer came."""

    status: int | None
    models: tuple[str, ...] | None
    trouble: str = ""


def examine_endpoint() -> EndpointReport:
    """Ask the configured endpoint for its models, with the configured key."""
    settings = Settings()
    if not settings.llm_base_url and not settings.llm_model:
        return EndpointReport(
            True, "not_configured", None, None, None, "none is configured; only --author llm needs one", None
        )
    try:
        endpoint = configured_endpoint()
    except UsageError as error:
        return EndpointReport(
            False, "wrongly_configured", _shown(settings.llm_base_url), settings.llm_model, None, str(error),
            "set or unset ENVMILL_LLM_BASE_URL and ENVMILL_LLM_MODEL together.",
        )  # fmt: skip
    return _judged(_listing(endpoint), _shown(endpoint.base_url) or "", endpoint.model)


def _judged(listing: _Listing, base_url: str, model: str) -> EndpointReport:
    if listing.status is None:
        advice = "start it, or correct ENVMILL_LLM_BASE_URL."
        detail = f"{base_url} does not answer: {listing.trouble}"
        return EndpointReport(False, "unreachable", base_url, model, None, detail, advice)
    if listing.status in (401, 403):
        detail = f"{base_url} refuses the key (HTTP {listing.status})"
        return EndpointReport(False, "refused", base_url, model, None, detail, "correct ENVMILL_LLM_API_KEY.")
    if listing.status >= 500:
        detail = f"{base_url} is in trouble (HTTP {listing.status})"
        return EndpointReport(False, "unreachable", base_url, model, None, detail, "try again later.")
    if listing.models is None:
        detail = f"{base_url} answers, but lists no models (HTTP {listing.status}), so {model} was not looked up"
        return EndpointReport(True, "reachable", base_url, model, None, detail, None)
    if model in listing.models:
        return EndpointReport(True, "reachable", base_url, model, True, f"{base_url} answers and lists {model}", None)
    others = ", ".join(listing.models[:5]) or "no model at all"
    advice = f"check ENVMILL_LLM_MODEL; listed are {others}{' and more' if len(listing.models) > 5 else ''}."
    detail = f"{base_url} answers, but does not list {model}"
    return EndpointReport(True, "reachable", base_url, model, False, detail, advice)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The key is for the endpoint alone, not for wherever it points."""

    def redirect_request(self, *_arguments: Any) -> None:
        """Follow nothing."""


def _listing(endpoint: "EndpointSettings") -> _Listing:
    request = urllib.request.Request(f"{endpoint.base_url.rstrip('/')}/models")
    if endpoint.secret is not None:
        request.add_header("Authorization", f"Bearer {endpoint.secret}")
    try:
        with urllib.request.build_opener(_NoRedirect).open(request, timeout=_TIMEOUT_S) as reply:
            return _Listing(reply.status, _names(reply.read(_LONGEST_LIST)))
    except urllib.error.HTTPError as error:
        error.close()  # what it says is not shown: some servers repeat the key
        return _Listing(error.code, None)
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        return _Listing(None, None, str(reason) or type(error).__name__)


def _names(body: bytes) -> tuple[str, ...] | None:
    """The ids in a list of models; null when it is none."""
    try:
        return tuple(str(each["id"]) for each in json.loads(body)["data"])
    except (ValueError, KeyError, TypeError):
        return None


def examine_home(home: Path) -> WarehouseReport:
    """Whether runs can be written into a home, and its release be read. A home that is not there yet is not made."""
    from warehouse.health import release_health

    try:
        with tempfile.TemporaryFile(dir=_nearest(home)) as file:
            file.write(b"\0" * 4096)
        refusal = None
        free = shutil.disk_usage(_nearest(home)).free
    except OSError as error:
        refusal, free = error.strerror or str(error), None
    health = release_health(home)
    detail, advice = f"{home} can be written", None
    if refusal is not None:
        detail, advice = f"{home} can't be written: {refusal}", "allow writing there, or choose another --home."
    elif free is not None and free < LEAST_FREE_BYTES:
        detail = f"only {free // 2**20} MiB are free for {home}"
        advice = f"make room (a run needs {LEAST_FREE_BYTES // 2**20} MiB), or choose another --home."
    elif health.problem is not None:
        detail = f"the current release in {home} can't be read: {health.problem}"
        advice = "restore its files from a backup, or move its folder under warehouse/releases away and run again."
    elif health.release_id is not None:
        detail += f", release {health.number} ({health.release_id}) can be read"
    else:
        detail += ", no release yet"
    return WarehouseReport(
        works=advice is None,
        home=str(home),
        is_writable=refusal is None,
        free_mib=None if free is None else free // 2**20,
        release_id=health.release_id,
        release_number=health.number,
        detail=detail,
        advice=advice,
    )


def examine_server(home: Path) -> ServerReport:
    """Whether the configured Prefect server answers, else whether one runs for this home."""
    from flows.running import configured_api_url

    configured = configured_api_url()
    if configured:
        shown = _shown(configured)
        if is_healthy(configured):
            return ServerReport(True, "configured", shown, f"the configured one answers at {shown}", None)
        advice = "start that server, or unset PREFECT_API_URL to have one started."
        return ServerReport(False, "configured", shown, f"the configured one does not answer at {shown}", advice)
    running = find_server(home)
    if running is not None:
        return ServerReport(True, "running", running.api_url, f"one runs for this home at {running.api_url}", None)
    return ServerReport(True, "none", None, "none is configured or running; `envmill run` starts its own", None)


def _nearest(folder: Path) -> Path:
    """The folder itself, or what is there of the way to it."""
    folder = folder.absolute()
    return next(each for each in (folder, *folder.parents) if each.exists())


def _shown(url: str | None) -> str | None:
    """An address without the name and password that it may hold."""
    if url is None or "@" not in url:
        return url
    try:
        parts = urlsplit(url)
    except ValueError:
        return "(not an address)"
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
