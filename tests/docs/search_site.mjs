// Asks the search of a built site, as its pages do: node search_site.mjs SITE QUERY...
// Prints {query: [location of the best section of each page, best page first]}.
import fs from "fs";
import path from "path";
import vm from "vm";

const [site, ...queries] = process.argv.slice(2);
const folder = path.join(site, "assets/javascripts/workers");
const worker = fs.readdirSync(folder).find((name) => name.startsWith("search.") && name.endsWith(".js"));
const index = JSON.parse(fs.readFileSync(path.join(site, "search/search_index.json"), "utf8"));
const [SETUP, QUERY] = [0, 2]; // types of messages to the worker

let receive;
let reply;
const scope = {
  console,
  URL,
  performance,
  setTimeout,
  clearTimeout,
  location: { href: "http://localhost/" },
  importScripts() {},
  addEventListener: (kind, listener) => kind === "message" && (receive = listener),
  postMessage: (message) => reply(message),
};
scope.self = scope;
vm.runInNewContext(fs.readFileSync(path.join(folder, worker), "utf8"), scope);

const ask = (message) =>
  new Promise((done) => {
    reply = done;
    receive({ data: message });
  });

await ask({ type: SETUP, data: { ...index, options: { suggest: true } } });
const found = {};
for (const query of queries) {
  const { data } = await ask({ type: QUERY, data: query });
  found[query] = data.items.map((sections) => sections[0].location);
}
console.log(JSON.stringify(found));
