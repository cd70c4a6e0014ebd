// Keys, drafts and colours of a judge's page. All of it works without this file: it only saves the mouse.
"use strict";

// htmx puts what the server drew into the page, so its texts are the page's own: the one policy for that.
if (window.trustedTypes) trustedTypes.createPolicy("default", { createHTML: (text) => text });

const DRAFT_AFTER_MS = 1500;
const SHUT_WORDS = "The station is unreachable or could not store your input. Your input is kept on this page: submit it again.";
const REFUSED_WORDS = {
  401: "Your session has expired. Reload the page and log in; your input is kept in this tab.",
  409: "This project is closed and accepts no more votes. Its owner can reopen it.",
};
const ENTERED = "benchwright-station-entered";
const OTHER_TAB = "This project is also open in another tab. Use only one: only the page that was opened last is accepted.";
const channel = "BroadcastChannel" in window ? new BroadcastChannel("benchwright-station") : null;
const me = crypto.getRandomValues(new Uint32Array(2)).join("-");
let timer = 0;
let heard = false;

const station = () => document.getElementById("station");
const form = () => document.getElementById("station-form");
const fields = () => [...document.querySelectorAll(".asked")];

/** The field that keys speak to: the one with the focus, else the first that is not said yet. */
function current() {
  const held = document.activeElement && document.activeElement.closest(".asked");
  return held || fields().find((each) => !isSaid(each)) || null;
}

function isSaid(field) {
  const text = field.querySelector("textarea");
  return text ? text.value.trim() !== "" : field.querySelector("input:checked") !== null;
}

/** Put the focus into a field: on its value, or on its first one. */
function enter(field) {
  const target = field.querySelector("input:checked") || field.querySelector("input, textarea");
  if (target) target.focus();
}

function next() {
  const all = fields();
  const held = document.activeElement && document.activeElement.closest(".asked");
  const place = held ? all.indexOf(held) + 1 : 0;
  if (place < all.length) enter(all[place]);
  else submitButton().focus();
}

function submitButton() {
  return document.getElementById("station-submit");
}

/** Say a value of the present field by its key, then go on to the next, to one that was passed over, or to
 *  the end: so an item that came back as it was entered is said anew by the same keys. */
function say(key) {
  const all = fields();
  const field = current() || all[0];
  const choice = field && field.querySelector(`input[data-key="${CSS.escape(key)}"]`);
  if (!choice) return false;
  choice.checked = true;
  later();
  const following = all[all.indexOf(field) + 1] || all.find((each) => !isSaid(each));
  if (following) enter(following);
  else submitButton().focus();
  return true;
}

function press(key) {
  const button = form().querySelector(`button[data-key="${CSS.escape(key)}"]`);
  if (!button || button.hidden) return false;
  button.click();
  return true;
}

/** Open a fold and put the focus on what is written there, or close it again. */
function fold(id, target) {
  const details = document.getElementById(id);
  if (!details) return false;
  details.open = !details.open;
  if (details.open) (details.querySelector(target) || details.querySelector("summary")).focus();
  else details.querySelector("summary").focus();
  return true;
}

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || !form()) return;
  const writes = event.target.closest("textarea");
  if (writes) {
    if (event.key === "Escape") document.getElementById("station-title").focus();
    else if (event.key === "Tab" || event.key !== "Enter") return;
    else return;
    event.preventDefault();
    return;
  }
  const key = keyOf(event);
  if (event.key === "Enter") return void onEnter(event);
  const done = key === "n" ? (next(), true)
    : key === "c" ? focusOn("station-comment")
    : key === "r" ? fold("station-report", "textarea")
    : key === "?" ? fold("station-rubric", "summary")
    : say(key) || press(key);
  if (done) event.preventDefault();
}

/** The key as on a Latin keyboard: in other layouts the letter by its place. */
function keyOf(event) {
  const place = /^(?:Key|Digit)(.)$/.exec(event.code);
  return (place && event.key.length === 1 && event.key > "~" ? place[1] : event.key).toLowerCase();
}

/** Enter in a choice submits, as everywhere; where nothing has the focus it does too. */
function onEnter(event) {
  if (event.target.closest("button, a, summary, iframe")) return;
  const button = submitButton();
  if (!button) return;
  event.preventDefault();
  button.click();
}

function focusOn(id) {
  const element = document.getElementById(id);
  if (element) element.focus();
  return element !== null;
}

function later() {
  clearTimeout(timer);
  hold();
  timer = setTimeout(keepDraft, DRAFT_AFTER_MS);
}

/** Where the page keeps what is typed; an adjudicator's page keeps nothing. */
function drafts() {
  return form() ? form().dataset.drafts : undefined;
}

function draft() {
  const data = new FormData(form());
  data.delete("step");
  data.delete("reason");
  return new URLSearchParams(data);
}

function keepDraft() {
  clearTimeout(timer);
  timer = 0;
  if (!drafts() || fields().length === 0) return;
  fetch(drafts(), { method: "POST", body: draft() }).catch(() => tell(SHUT_WORDS));
}

/** Whose entries to which item: a tab shows several items, and several people may log in in it. */
function subject() {
  const item = document.querySelector(".station-item");
  return item && drafts() ? `${station().dataset.account} ${item.textContent}` : "";
}

/** Keep what is entered in this tab until another item is shown. A reload at once would outrun the draft on its
 *  way to the server. Where the browser stores nothing, the draft is all there is. */
function hold() {
  if (!subject()) return;
  try {
    sessionStorage.setItem(ENTERED, JSON.stringify([subject(), [...draft()]]));
  } catch (error) {
    console.info("nothing is kept in this tab", error);
  }
}

/** Enter again what this tab holds for the item, and send it as a draft of the new page. */
function restore() {
  const [about, entries] = JSON.parse(sessionStorage.getItem(ENTERED) || "[]");
  if (!about || about !== subject()) return void sessionStorage.removeItem(ENTERED);
  for (const [name, value] of entries) {
    const inputs = [...form().elements].filter((each) => each.name === name && each.type !== "hidden");
    for (const each of inputs) {
      if (each.type === "radio") each.checked = each.value === value;
      else each.value = value;
    }
  }
  later();
}

/** A page that is left while a draft waits sends it on its way out. */
function onLeave() {
  if (timer && drafts()) navigator.sendBeacon(drafts(), draft());
}

function tell(words) {
  const notice = document.getElementById("station-notice");
  if (!notice || notice.textContent.includes(words)) return;
  const line = document.createElement("p");
  line.className = "notice";
  line.textContent = words;
  notice.append(line);
}

function hear(event) {
  if (event.data.from === me || !station() || event.data.project !== station().dataset.project) return;
  heard = true;
  tell(OTHER_TAB);
  if (event.data.kind === "opened") channel.postMessage({ kind: "here", from: me, project: station().dataset.project });
}

/** Colour Python by lines, on the marks that say what was added. */
function colour() {
  const item = document.querySelector(".station-item");
  if (!item || item.dataset.lang !== "python" || typeof tokens !== "function") return;
  for (const code of item.querySelectorAll("pre.lines > code")) colourCode(code);
}

function colourCode(code) {
  const source = code.textContent;
  if (source.length > SHOWN_WHOLE) return;
  const kinds = [];
  for (const [kind, text] of tokens(source)) for (let at = 0; at < text.length; at++) kinds.push(kind);
  let place = 0;
  const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push(walker.currentNode);
  for (const node of texts) {
    node.replaceWith(...pieces(node.data, kinds, place));
    place += node.data.length;
  }
}

function pieces(text, kinds, place) {
  const made = [];
  for (let from = 0, to = 1; from < text.length; from = to, to = from + 1) {
    const kind = kinds[place + from];
    while (to < text.length && kinds[place + to] === kind) to++;
    const part = text.slice(from, to);
    made.push(kind && part.trim() ? make("span", { class: kind }, part) : part);
  }
  return made;
}

/** What a new item needs: buttons that only keys have a use for, colours, and the focus where keys speak. */
function begin() {
  if (!station()) return;
  for (const each of document.querySelectorAll("button.scripted")) each.hidden = false;
  restore();
  colour();
  window.scrollTo(0, 0);
  document.getElementById("station-title").focus({ preventScroll: true });
  if (heard) tell(OTHER_TAB);
}

document.addEventListener("keydown", onKey);
document.addEventListener("input", (event) => { if (event.target.closest("#station-form")) later(); });
window.addEventListener("pagehide", onLeave);
document.addEventListener("htmx:beforeRequest", () => { clearTimeout(timer); timer = 0; });
document.addEventListener("htmx:afterSwap", begin);
document.addEventListener("htmx:responseError", (event) => tell(REFUSED_WORDS[event.detail.xhr.status] || SHUT_WORDS));
document.addEventListener("htmx:sendError", () => tell(SHUT_WORDS));
if (channel) {
  channel.addEventListener("message", hear);
  if (station()) channel.postMessage({ kind: "opened", from: me, project: station().dataset.project });
}
begin();
