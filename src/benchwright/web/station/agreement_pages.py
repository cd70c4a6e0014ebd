"""The page on agreement between judges."""

from __future__ import annotations

from litestar import get

from benchwright.display.wording import counted, plain_number
from benchwright.judges.people.agreement import COEFFICIENTS
from benchwright.web.core.guard import route
from benchwright.web.core.pages import page
from benchwright.web.core.site import PageResponse, SiteRequest, site_of
from benchwright.web.station.agreement_figures import AgreementFigures
from benchwright.web.station.agreement_process import DRAWS, MOST_PAIRS
from benchwright.web.station.project_requests import project_of
from benchwright.web.station.roles import READERS

_FIGURES = "agreement"  # key in the application's state
RELOAD_S = "5"


@get("/projects/{project_id:str}/agreement", opt=route(READERS))
async def agreement_page(request: SiteRequest) -> PageResponse:
    """Show agreement with intervals. The page reloads itself while figures are being computed."""
    shown = await _figures(request).shown(project_of(request))
    return page(
        request,
        "station_agreement.html",
        headers={"refresh": RELOAD_S} if shown.is_pending else None,
        shown=shown,
        draws=DRAWS,
        most_pairs=MOST_PAIRS,
        titles=COEFFICIENTS,
        number=plain_number,
        counted=counted,
    )


def _figures(request: SiteRequest) -> AgreementFigures:
    """The cache of the application; created by the first request, in its event loop."""
    state = request.app.state
    if state.get(_FIGURES) is None:
        state[_FIGURES] = AgreementFigures(site_of(request).database)
    found: AgreementFigures = state[_FIGURES]
    return found


AGREEMENT_ROUTES = [agreement_page]
