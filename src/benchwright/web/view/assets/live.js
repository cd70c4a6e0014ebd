// Tables that follow a stream of events. Elements of rows that do not change stay the same elements, so that what a
// reader points at, or has focused, is never replaced under them.

const SIGNS = { running: "▶", finished: "✓", stopped: "■", failed: "✗", damaged: "!" };

/** Put text in an element, unless it is there already. */
function setText(element, text) {
  if (element.textContent !== text) element.replaceChildren(...addText(make("span"), text).childNodes);
}

/** A number as people read it; a dash for none. */
function shownNumber(value) {
  return value === null || value === undefined ? "–" : value.toLocaleString("en");
}

/** How fast answers arrive, and over which time that was measured. */
function rateText(run) {
  return run.rate === null ? "–" : `${run.rate.toFixed(1)} over ${shownNumber(run.rate_s)} s`;
}

/** The state of a run as a badge. */
function showState(badge, run) {
  badge.className = "badge s-" + run.state;
  setText(badge, `${SIGNS[run.state]} ${run.state}`);
}

/** A bar, with its numbers as text. */
function showBar(box, label, value, most) {
  if (!box.firstChild) box.append(make("span"), make("progress"));
  const [text, bar] = box.children;
  setText(text, most === null ? `${shownNumber(value)} ${label}` : `${shownNumber(value)} of ${shownNumber(most)} ${label}`);
  bar.hidden = most === null;
  bar.setAttribute("aria-label", label);
  if (most !== null) {
    bar.max = Math.max(most, 1);
    bar.value = Math.min(value, most);
  }
}

/** Rows by key, in the order that `before` says; `draw` makes the element of a row or changes it. */
class KeyedRows {
  constructor(body, draw, before) {
    this.body = body;
    this.draw = draw;
    this.before = before;
    this.rows = new Map();
  }

  update({ rows, gone }) {
    for (const id of gone) {
      const known = this.rows.get(id);
      if (known) known.element.remove();
      this.rows.delete(id);
    }
    for (const row of [...rows].sort((a, b) => (this.before(a, b) ? 1 : -1))) this.set(row);
  }

  set(row) {
    const known = this.rows.get(row.id);
    const element = this.draw(row, known && known.element);
    element.row = row;
    this.rows.set(row.id, { element });
    if (!known) this.insert(element);
    else if (!this.fits(element)) { element.remove(); this.insert(element); }
  }

  fits(element) {
    const above = element.previousElementSibling, below = element.nextElementSibling;
    return (!above || this.before(above.row, element.row)) && (!below || this.before(element.row, below.row));
  }

  insert(element) {
    let place = this.body.firstElementChild;
    while (place && this.before(place.row, element.row)) place = place.nextElementSibling;
    this.body.insertBefore(element, place);
  }
}

/** Follow a stream: `take` gets each message, and `live` says whether the page is up to date. */
function followStream(address, take) {
  const live = document.getElementById("live");
  const source = new EventSource(address);
  source.addEventListener("message", (event) => {
    take(JSON.parse(event.data));
    setText(live, "Live: this page updates itself");
    document.documentElement.dataset.stream = "live";
  });
  source.addEventListener("error", () => {
    setText(live, source.readyState === EventSource.CLOSED
      ? "Not connected: reload the page" : "Not connected: the view was stopped, or is busy. Trying again…");
    document.documentElement.dataset.stream = "lost";
  });
  return source;
}
