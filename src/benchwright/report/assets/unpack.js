// The answers to a task: JSON, deflated, base64, in an inert element of this page or in a file beside it.

const META = JSON.parse(document.getElementById("meta").textContent);
const arrived = new Map(); // task number: how to hand its packed answers on

/** Called by a file beside the report, with the packed answers to one task. */
globalThis.benchwrightAnswers = (number, packed) => {
  const done = arrived.get(number);
  arrived.delete(number);
  if (done) done(packed);
};

/** The page is read from top to bottom: while it still loads, an answer may not be there yet. */
function whole() {
  if (document.readyState !== "loading") return Promise.resolve();
  return new Promise((done) => document.addEventListener("DOMContentLoaded", done, { once: true }));
}

/** Names of files beside the report, and nothing else, may be loaded as scripts. */
const sideFile = (() => {
  const name = (number) => META.side + "/" + String(number).padStart(5, "0") + ".js";
  if (!META.side || !globalThis.trustedTypes) return name;
  const policy = globalThis.trustedTypes.createPolicy("benchwright", { createScriptURL: (url) => url });
  return (number) => policy.createScriptURL(name(number));
})();

/** Load the file with the answers to a task. */
function fetchSide(number) {
  return new Promise((done, failed) => {
    arrived.set(number, done);
    const script = document.createElement("script");
    script.src = sideFile(number);
    script.onload = () => script.remove();
    script.onerror = () => failed(new Error("the folder " + META.side + " is not beside this file"));
    document.head.append(script);
  });
}

/** The packed answers to a task. */
async function packed(number) {
  if (META.side) return fetchSide(number);
  await whole();
  return document.getElementById("answers-" + number).textContent;
}

/** The answers to a task, as Python wrote them. */
async function unpack(number) {
  const binary = atob((await packed(number)).trim());
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}
