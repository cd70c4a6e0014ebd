// The tabs of a page with several tracks: one panel is open, and the address names it. Without a script, and in
// print, all panels are shown, and the tabs are links to them.

const PANELS = [...document.querySelectorAll("#report > .panel")];
const TRACKS = META.tracks || []; // key and first task of each track, in the order of the tabs
let pressed = false; // a tab was pressed; following its address takes the focus from it
const scrolled = new Map(); // panel: how far it was scrolled when it was left

/** The panel that is open; undefined on a page without tabs. */
function openPanel() {
  return PANELS.find((panel) => panel.classList.contains("open"));
}

/** The element with this id, also where the address has its escapes or lacks them. */
function anchorOf(hash) {
  const id = hash.slice(1);
  const track = new URLSearchParams(id).get("track");
  const [key] = TRACKS.find(([each]) => track !== null && decodeURIComponent(each) === track) || [];
  return key === undefined ? part(id) : part("track=" + key);
}

/** The panel that an address opens: that of its anchor, of the answers for a selection, the first for none. */
function panelOf(hash, selects) {
  if (selects) return part("all-tasks").closest(".panel");
  const anchor = anchorOf(hash);
  if (anchor) return anchor.closest(".panel");
  return hash.length > 1 ? openPanel() : PANELS[0];
}

/** The address of the track of a task, on a page with several; that of all tasks on others. */
function trackAddress(number) {
  const track = TRACKS.filter(([, first]) => first <= number).pop();
  return track ? "#track=" + track[0] : "#tasks";
}

/** Open a panel in place of the other, where it was left, else at its beginning. Whether that changed the page. */
function switchTo(panel) {
  const before = openPanel(), at = scrollY;
  if (!panel || panel === before) return false;
  scrolled.set(before, at);
  for (const each of PANELS) each.classList.toggle("open", each === panel);
  for (const tab of tabs()) {
    const isOpen = tab.getAttribute("aria-controls") === panel.id;
    tab.setAttribute("aria-selected", String(isOpen));
    tab.tabIndex = isOpen ? 0 : -1;
    if (!isOpen) continue;
    tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (pressed) tab.focus({ preventScroll: true });
  }
  pressed = false;
  const top = panel.offsetTop - part("tabs").parentElement.offsetHeight; // the tabs stay in sight
  scrollTo(0, scrolled.get(panel) ?? Math.min(at, top));
  return true;
}

/** The links that are tabs. */
function tabs() {
  return part("tabs") ? [...part("tabs").querySelectorAll("a")] : [];
}

/** Move the focus along the tabs: arrows, the first, the last. The space bar opens a tab, as Enter does. */
function moveFocus(event) {
  const all = tabs(), at = all.indexOf(event.target);
  const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
  if (at < 0 || (next === undefined && event.key !== " ")) return;
  event.preventDefault();
  if (event.key === " ") event.target.click();
  else all[(next + all.length) % all.length].focus();
}

/** Make the links over the panels into tabs. */
function makeTabs() {
  if (!part("tabs")) return;
  part("tabs").setAttribute("role", "tablist");
  part("tabs").setAttribute("aria-label", "Overview, tracks and answers");
  part("tabs").addEventListener("keydown", moveFocus);
  part("tabs").addEventListener("click", () => { pressed = true; });
  for (const tab of tabs()) {
    const panel = panelOf(tab.getAttribute("href"), false);
    tab.parentElement.setAttribute("role", "presentation");
    tab.id = panel.id + "-tab";
    for (const [name, value] of [["role", "tab"], ["aria-controls", panel.id], ["aria-selected", String(panel === openPanel())]]) {
      tab.setAttribute(name, value);
    }
    tab.tabIndex = panel === openPanel() ? 0 : -1;
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    panel.tabIndex = 0;
  }
}

/** Whether an anchor is the beginning of its panel. */
function isHead(anchor) {
  return anchor.parentElement.classList.contains("panel") && !anchor.previousElementSibling;
}
