"""Models of a hub with their cards: listed once, then fetched one by one, unless the folder has them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from benchwright.contracts import Inventory, Item
from benchwright.display.escape import escaped_name, escaped_path, quoted
from benchwright.errors import PrerequisiteError, RunError
from benchwright.http_client import WaitingClock
from benchwright.records import Drop, Record
from benchwright.sources.hub.connection import (
    GOES_ON,
    CardRefusedError,
    EndOfListError,
    HubConnection,
    load_hub,
)
from benchwright.sources.hub.model_list import COMMIT, HubQuery, check_endpoint, read_query
from benchwright.sources.licences import spdx_of_name
from benchwright.sources.model_cards import as_text, read_card
from benchwright.sources.model_records import PASSING, FormatDeviation, ModelRecord
from benchwright.store.keys import content_key
from benchwright.store.writing import replacing, write_error
from benchwright.store.yaml_documents import load_yaml
from benchwright.version import VERSION

CARD = "README.md"
MAX_UNAVAILABLE = 3  # consecutive failed cards after which the server counts as down
# Errors that the library raises or passes on from our connection about one model. Its HTTP errors are
# OSError, those about names and metadata are ValueError.
FAILURES = (CardRefusedError, OSError, ValueError, KeyError, TypeError)
_LICENCE = "license:"


class HubModel(Record, frozen=True, kw_only=True):
    """A model as the hub lists it. `refused` is the reason why its card is not fetched."""

    id: str
    sha: str = ""
    last_modified: str = ""
    task: str = ""
    library: str = ""
    tags: list[str] = []
    gated: bool = False
    files: list[str] = []
    refused: str = ""
    detail: str = ""


class HubListing(Record, frozen=True, kw_only=True):
    """The models of a listing, and its time."""

    listed_at: str
    models: list[HubModel]
    drops: list[Drop] = []
    notes: list[str] = []


class ModelHubSource:
    """The models of a query. Raises BenchwrightError for an invalid query."""

    def __init__(
        self, query: HubQuery, licences: Collection[str], *, clock: WaitingClock | None = None
    ) -> None:
        load_yaml()
        self._hub = load_hub()
        self._query, self._licences = query, licences
        self._clock = clock or WaitingClock()
        self._endpoint = (query.endpoint or self._hub.constants.ENDPOINT).rstrip("/")
        check_endpoint(self._endpoint)

    def collect(self, folder: Path, tell: Callable[[str], None]) -> Inventory[ModelRecord]:
        """List the models once; a stored card is not requested again."""
        place = folder / "hub" / content_key(msgspec.to_builtins(self._query), self._endpoint)
        connection = HubConnection(self._endpoint, place / "pages", tell=tell, clock=self._clock)
        listing = self._listing(place / "found.json", connection)
        for note in listing.notes:
            tell(note)
        total = len(listing.models) + len(listing.drops)
        return Inventory(total, self._items(listing, place, connection), listing.notes)

    def _listing(self, path: Path, connection: HubConnection) -> HubListing:
        if path.exists():
            return _stored_listing(path)
        listed_at = datetime.fromtimestamp(self._clock.now(), UTC).isoformat(timespec="seconds")
        with connection.serving(self._hub):
            models, notes = self._named_models() if self._query.models else self._listed()
        listing = HubListing(listed_at=listed_at, models=models, drops=connection.refused, notes=notes)
        with replacing(path) as file:
            file.write(msgspec.json.format(msgspec.json.encode(listing), indent=1) + b"\n")
        return listing

    def _listed(self) -> tuple[list[HubModel], list[str]]:
        """The models of the list, each once, with notes."""
        query, found, repeated, ended = self._query, dict[str, HubModel](), 0, ""
        filters = {
            "pipeline_tag": query.task,
            "filter": query.library,
            "author": query.author,
            "search": query.search,
        }
        chosen = {name: value for name, value in filters.items() if value}
        entries = self._api().list_models(**chosen, sort=query.sort, limit=query.limit, full=True)
        try:
            for info in entries:
                repeated += found.setdefault(info.id, model := self._facts(info)) is not model
        except EndOfListError as error:
            ended = f"; {error}"
        except FAILURES as error:
            raise self._failed(error, "the list of models") from error
        again = f"; listed more than once: {repeated:,}" if repeated else ""
        return list(found.values()), [f"hub: models listed: {len(found):,}{again}{ended}"]

    def _named_models(self) -> tuple[list[HubModel], list[str]]:
        models = []
        for name in self._query.models:
            try:
                models.append(self._facts(self._api().model_info(name)))
            except FAILURES as error:
                drop = self._drop(name, error)
                models.append(HubModel(id=name, refused=drop.reason, detail=drop.detail))
        return models, [f"hub: models named: {len(models):,}"]

    def _facts(self, info: Any) -> HubModel:
        tags = [tag for tag in info.tags or [] if isinstance(tag, str)]
        licence = _licence(tags)
        refused = "" if licence in self._licences or not self._licences else "licence"
        return HubModel(
            id=info.id,
            sha=info.sha if COMMIT.fullmatch(info.sha or "") else "",
            last_modified=info.last_modified.isoformat() if info.last_modified else "",
            task=as_text(info.pipeline_tag),
            library=as_text(info.library_name),
            tags=tags,
            gated=bool(info.gated),
            files=[each.rfilename for each in info.siblings or []],
            refused="licence_unknown" if refused and not licence else refused,
            detail=licence if refused else "",
        )

    def _items(
        self, listing: HubListing, place: Path, connection: HubConnection
    ) -> Iterator[Item[ModelRecord] | Drop]:
        yield from listing.drops
        failed = 0
        with connection.serving(self._hub):
            for model in listing.models:
                item = self._item(model, listing.listed_at, place)
                failed = failed + 1 if isinstance(item, Drop) and item.reason in PASSING else 0
                if failed == MAX_UNAVAILABLE:
                    message = f"{self._endpoint} failed for {failed} consecutive cards, the last {model.id}"
                    raise RunError(message, hint=GOES_ON)
                yield item

    def _item(self, model: HubModel, listed_at: str, place: Path) -> Item[ModelRecord] | Drop:
        if model.refused:
            return Drop(unit=model.id, reason=model.refused, detail=model.detail)
        if model.files and CARD not in model.files:
            return Drop(unit=model.id, reason="no_card", detail=f"{CARD} is not among its files")
        none = place / "refused" / f"{content_key(model.id, model.sha)}.json"
        if none.exists():
            return msgspec.json.decode(none.read_bytes(), type=Drop)
        try:
            path = self._download(model, place / "cards")
        except FAILURES as error:
            drop = self._drop(model.id, error)
            if drop.reason not in PASSING:
                none.parent.mkdir(parents=True, exist_ok=True)
                with replacing(none) as file:
                    file.write(msgspec.json.encode(drop))
            return drop
        return Item(f"{self._endpoint}/{model.id}", self._record(model, path, listed_at))

    def _download(self, model: HubModel, folder: Path) -> Path:
        return Path(
            self._hub.hf_hub_download(
                model.id,
                CARD,
                revision=model.sha or "main",
                cache_dir=folder,
                endpoint=self._endpoint,
                token=self._token(),
                library_name="benchwright",
                library_version=VERSION,
            )
        )

    def _record(self, model: HubModel, path: Path, listed_at: str) -> ModelRecord:
        data = path.read_bytes()
        card = read_card(data)
        commit = path.parent.name
        licence = _licence(model.tags)
        odd = [FormatDeviation(name="gated")] if model.gated else []
        words = spdx_of_name(as_text(card.fields.get("license")))
        if words and words != licence:
            detail = f"the card: {words}; the hub: {licence or 'none known'}"
            odd.append(FormatDeviation(name="licence_disagrees", where="license", detail=detail))
        return ModelRecord(
            origin="huggingface",
            id=model.id,
            revision=commit,
            revised_at=model.last_modified,
            url=f"{self._endpoint}/{model.id}",
            licence=licence,
            retrieved_at=listed_at,
            sha256=sha256(data).hexdigest(),
            model=model.id,
            description=card.description,
            task=model.task or as_text(card.fields.get("pipeline_tag")),
            tags=model.tags,
            libraries=[model.library] if model.library else [],
            performance=card.performance,
            blocks=card.blocks,
            quirks=[*card.quirks, *odd],
            metadata={"gated": model.gated, "files": model.files, "card": card.fields},
        )

    def _api(self) -> Any:
        return self._hub.HfApi(
            endpoint=self._endpoint,
            token=self._token(),
            library_name="benchwright",
            library_version=VERSION,
        )

    def _token(self) -> bool:
        """Whether to send the user's token: only to the hub that issued it."""
        return self._endpoint == self._hub.constants.ENDPOINT.rstrip("/") and bool(self._hub.get_token())

    def _drop(self, name: str, error: Exception) -> Drop:
        """The drop for one model. A failure of the whole server is raised."""
        if isinstance(error, CardRefusedError):
            return Drop(unit=name, reason=error.reason, detail=error.detail)
        if isinstance(error, OSError) and error.errno is not None:
            raise write_error(error, Path(error.filename or ".")) from None
        status = _status(error)
        words = escaped_name(" ".join(str(error).split()), 200)
        if status in (401, 403):
            return Drop(unit=name, reason="gated", detail=f"HTTP {status}: it needs a login")
        if status == 404:
            missing = "Entry" in type(error).__name__
            return Drop(unit=name, reason="no_card" if missing else "gone", detail=f"HTTP {status}")
        if 300 <= status < 400:
            return Drop(unit=name, reason="sent_elsewhere", detail=f"HTTP {status}")
        return Drop(unit=name, reason="card_refused", detail=f"{type(error).__name__}: {words}")

    def _failed(self, error: Exception, what: str) -> Exception:
        """The error for a request without which the build cannot continue."""
        status = _status(error)
        if status in (401, 403):
            hint = "hf auth login, or export HF_TOKEN=…; an invalid one is refused: unset it"
            return PrerequisiteError(f"{self._endpoint}: HTTP {status} for {what}", hint=hint)
        if isinstance(error, CardRefusedError):
            return RunError(f"{self._endpoint}: {error.detail} for {what}", hint=GOES_ON)
        detail = f"HTTP {status}" if status else escaped_name(" ".join(str(error).split()), 200)
        return RunError(f"{self._endpoint}: {detail} for {what}", hint=f"check the endpoint; {GOES_ON}")


def open_hub(rest: str, *, licences: Collection[str]) -> ModelHubSource:
    """`hub:task=TASK,limit=N`, with library, author, search, sort, endpoint; or `hub:OWNER/NAME,…`."""
    return ModelHubSource(read_query(rest), licences)


def _licence(tags: list[str]) -> str:
    licences = {spdx_of_name(tag.removeprefix(_LICENCE)) for tag in tags if tag.startswith(_LICENCE)}
    return licences.pop() if len(licences) == 1 else ""


def _status(error: BaseException | None) -> int:
    """The HTTP status behind an error of the library; 0 without one."""
    for _ in range(5):
        if error is None:
            break
        if (response := getattr(error, "response", None)) is not None:
            return int(response.status_code)
        error = error.__cause__ or error.__context__
    return 0


def _stored_listing(path: Path) -> HubListing:
    try:
        return msgspec.json.decode(path.read_bytes(), type=HubListing)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        hint = f"list again: rm {quoted(path)}"
        raise RunError(f"{escaped_path(path)} cannot be read: {error}", hint=hint) from None
