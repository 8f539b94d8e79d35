// The search of an export. The index is a script, since a browser reads no other file from a disk.
"use strict";

const MOST = 200;
const field = document.getElementById("search");
const list = document.getElementById("found");
const told = document.getElementById("told");

function find(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  list.replaceChildren();
  if (!words.length) {
    told.textContent = "";
    return;
  }
  const found = window.wfIndex.filter(([id, title, , more]) => {
    const all = `${id} ${title} ${more}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  told.textContent = `${found.length} found${found.length > MOST ? `, the first ${MOST} shown` : ""}`;
  for (const [id, title, status] of found.slice(0, MOST)) {
    const line = document.createElement("li");
    const link = document.createElement("a");
    const state = document.createElement("span");
    link.href = `issues/${encodeURIComponent(id)}.html`;
    link.textContent = id;
    link.className = "id";
    state.textContent = status;
    state.className = `badge s-${status}`;
    line.append(link, " ", state, " ", title);
    list.append(line);
  }
}

const asked = new URLSearchParams(location.search).get("q");
if (asked) field.value = asked;
find(field.value);
field.addEventListener("input", () => find(field.value));
field.form.addEventListener("submit", (event) => event.preventDefault());
