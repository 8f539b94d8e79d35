// Live updates and dragging. Every page works without this.
"use strict";

// What someone is writing, or has chosen, stays.
const isBusy = (form) =>
  form.dataset.touched !== undefined ||
  (form.contains(document.activeElement) && document.activeElement.matches("input, textarea, select"));

document.addEventListener("input", (event) => {
  const form = event.target.closest("form");
  if (form) form.dataset.touched = "";
});

// What only the browser knows of an element.
const OWN = new Set(["open", "data-touched"]);

const ROWS = "TR, LI, ARTICLE, DETAILS";
const isText = (node) => node.nodeType !== 1;

// What a part of a page is about: its id, or the first address in it, so that a row stays the same row if others come before it.
function keyOf(node) {
  if (isText(node)) return node.nodeName;
  if (node.id || node.dataset.id) return `# ${node.id || node.dataset.id}`;
  const link = node.matches(ROWS) && node.querySelector("a[href]");
  return link ? `${node.nodeName} ${link.getAttribute("href")}` : `${node.nodeName} ${node.getAttribute("class")}`;
}

// The old children that become the new ones. Children with the same key are taken in order.
function partners(now, next) {
  const old = new Map();
  for (const child of now.childNodes) {
    const key = keyOf(child);
    if (!old.has(key)) old.set(key, []);
    old.get(key).push(child);
  }
  const pairs = new Map();
  for (const child of next.childNodes) {
    const same = old.get(keyOf(child))?.shift();
    if (same && same.nodeName === child.nodeName) pairs.set(child, same);
  }
  return pairs;
}

// A form in which someone writes stays, even if its place is gone.
const holdsBusy = (node) => !isText(node) && [node, ...node.querySelectorAll("form")].some((it) => it.nodeName === "FORM" && isBusy(it));

// Makes one element like another, and keeps what did not change.
function become(now, next) {
  if (now.isEqualNode(next)) return;
  if (isText(now)) {
    now.nodeValue = next.nodeValue;
    return;
  }
  if (now.nodeName === "FORM" && isBusy(now)) return;
  for (const { name } of [...now.attributes]) {
    if (!next.hasAttribute(name) && !OWN.has(name)) now.removeAttribute(name);
  }
  for (const { name, value } of next.attributes) {
    if (now.getAttribute(name) !== value && !OWN.has(name)) now.setAttribute(name, value);
  }
  const pairs = partners(now, next);
  const kept = new Set(pairs.values());
  for (const child of [...now.childNodes]) if (!kept.has(child) && !holdsBusy(child)) child.remove();
  let at = now.firstChild;
  for (const child of [...next.childNodes]) {
    while (at && !kept.has(at)) at = at.nextSibling;
    const own = pairs.get(child);
    if (!own) {
      now.insertBefore(child, at);
      continue;
    }
    if (own === at) at = at.nextSibling;
    else now.insertBefore(own, at);
    kept.delete(own);
    become(own, child);
  }
}

// Shows another state of the page. The focus stays where it was, also if its element moved or was made again.
function show(next) {
  const focused = document.activeElement;
  const address = focused.getAttribute("href");
  const main = document.querySelector("main");
  become(main, next);
  if (document.activeElement === focused) return;
  const again = focused.isConnected ? focused : address && main.querySelector(`a[href="${CSS.escape(address)}"]`);
  if (again) again.focus({ preventScroll: true });
}

// A link to a task opens it, and what it is in.
function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  for (let at = target; at; at = at.parentElement) if (at.nodeName === "DETAILS") at.open = true;
  if (target && target.closest("details")) target.scrollIntoView();
}
window.addEventListener("hashchange", openTarget);
openTarget();

// On a narrow screen the menu scrolls; its current entry is in view.
const current = document.querySelector("header.top [aria-current]");
if (current) {
  const menu = current.closest("ul");
  menu.scrollLeft = current.offsetLeft - menu.offsetLeft - (menu.clientWidth - current.offsetWidth) / 2;
}

let isAsking = false;
let isStale = false;

async function refresh() {
  if (isAsking) {
    isStale = true;
    return;
  }
  isAsking = true;
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    if (answer.ok) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const next = page.querySelector("main");
      if (next) show(next);
      document.title = page.title;
    }
  } catch {
    // The stream of events says whether the server is there.
  } finally {
    isAsking = false;
    if (isStale) {
      isStale = false;
      later();
    }
  }
}

let timer = 0;
function later() {
  clearTimeout(timer);
  timer = setTimeout(refresh, 200);
}

function listen() {
  const state = document.querySelector(".live");
  const events = new EventSource("/events");
  events.addEventListener("open", () => (state.dataset.state = "on"));
  // What happened before the connection was there, or while it was gone.
  events.addEventListener("tip", (event) => event.data !== document.querySelector("main").dataset.tip && later());
  events.addEventListener("error", () => (state.dataset.state = "off"));
  events.addEventListener("moved", later);
  window.addEventListener("pagehide", () => events.close());
}

// The result of a form is not what a reload should send again, so it is not refreshed.
const main = document.querySelector("main");
if (main && main.dataset.tip && !main.querySelector(".refusal")) {
  listen();
  // Agents talk without moving the ref.
  setInterval(() => document.querySelector("main").dataset.moving !== undefined && !document.hidden && refresh(), 3000);
}
window.addEventListener("pageshow", (event) => event.persisted && location.reload());

// Cards of the board are dragged to columns; the form on the card does the same.
let dragged = null;
const columnOf = (event) => dragged && event.target.closest("[data-board] .column");

document.addEventListener("dragstart", (event) => {
  dragged = event.target.closest(".card[draggable]");
  if (dragged) event.dataTransfer.effectAllowed = "move";
});
document.addEventListener("dragover", (event) => {
  const column = columnOf(event);
  if (!column) return;
  event.preventDefault();
  for (const other of document.querySelectorAll(".column.over")) if (other !== column) other.classList.remove("over");
  column.classList.add("over");
});
document.addEventListener("dragend", () => {
  dragged = null;
  for (const other of document.querySelectorAll(".column.over")) other.classList.remove("over");
});
document.addEventListener("drop", (event) => {
  const column = columnOf(event);
  if (!column) return;
  event.preventDefault();
  const form = dragged.querySelector("form");
  const choice = form.querySelector("select[name=status]");
  const status = column.dataset.status;
  if (![...choice.options].some((option) => option.value === status)) choice.add(new Option(status, status));
  choice.value = status;
  form.requestSubmit();
});

// Keys of the board: arrows move between cards, and the letters of git's own tools elsewhere.
document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "/") {
    event.preventDefault();
    document.getElementById("search").focus();
    return;
  }
  const card = event.target.closest(".card");
  if (!card || !event.key.startsWith("Arrow")) return;
  const columns = [...document.querySelectorAll(".board .column")].map((it) => [...it.querySelectorAll(".card")]);
  const x = columns.findIndex((cards) => cards.includes(card));
  const y = columns[x].indexOf(card);
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  let to = null;
  if (step) {
    for (let n = x + step; columns[n] && !to; n += step) to = columns[n][Math.min(y, columns[n].length - 1)];
  } else {
    to = columns[x][y + (event.key === "ArrowDown" ? 1 : -1)];
  }
  if (to) {
    event.preventDefault();
    to.querySelector("a").focus();
  }
});
