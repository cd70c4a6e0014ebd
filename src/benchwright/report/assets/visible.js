// Text written by models, made safe to look at. Nothing in this page builds HTML from a string: text becomes
// text nodes, and a character that would be invisible, or would act on the text around it, becomes its name.

const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\p{Cf}\p{Cs}\p{Co}]/gu;
const SHOWN_WHOLE = 40000; // characters that are coloured; longer text is plain

/** An element with attributes and children; a child that is a string becomes a text node. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** The name of a character: one of the pictures of ASCII controls, or its code point. */
function nameOf(character) {
  const code = character.codePointAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return "U+" + code.toString(16).toUpperCase().padStart(4, "0");
}

/** Add text to an element, each unsafe character as a marked name. */
function addText(element, text) {
  let from = 0;
  for (const match of text.matchAll(UNSAFE)) {
    if (match.index > from) element.append(text.slice(from, match.index));
    const code = "U+" + match[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    element.append(make("span", { class: "unsafe", title: "character " + code }, nameOf(match[0])));
    from = match.index + match[0].length;
  }
  if (from < text.length) element.append(text.slice(from));
  return element;
}

/** Text with each unsafe character by name, for where there can be no marks: a choice in a list. */
function plainText(text) {
  return text.replace(UNSAFE, nameOf);
}

/** A block of code or text that can be scrolled with the keyboard. */
function block(label, fill) {
  const code = make("code");
  fill(code);
  return make("pre", { tabindex: "0", role: "group", "aria-label": label, dir: "ltr" }, code);
}
