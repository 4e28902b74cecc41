"use strict";

// What pages do beyond showing themselves, all of it optional: they follow commits, and answer to the
// keyboard.

// MARK: Following commits

// The page is fetched again, and its regions with data-live replace those of the same ID.
const live = {
  source: null, isBusy: false, isStale: false,

  begin() {
    const address = document.body.dataset.events;
    if (!address || !document.querySelector("[data-live]")) return;
    this.source = new EventSource(address);
    this.source.addEventListener("commit", () => this.refresh());
    this.source.addEventListener("error", () => {
      if (this.source.readyState === EventSource.CLOSED) say("Live updates have ended.");
    });
    addEventListener("pagehide", () => this.source.close());
    addEventListener("pageshow", event => { if (event.persisted) location.reload(); });
    document.addEventListener("visibilitychange", () => { if (this.isStale) this.refresh(); });
  },

  async refresh() {
    this.isStale = true;
    if (this.isBusy || document.hidden) return;
    this.isBusy = true;
    try {
      while (this.isStale) {
        this.isStale = false;
        const answer = await fetch(location.href, { cache: "no-store" });
        if (answer.ok) this.show(new DOMParser().parseFromString(await answer.text(), "text/html"));
      }
    } catch {
      // The program has ended, or is about to: the source says so.
    } finally {
      this.isBusy = false;
    }
  },

  show(page) {
    for (const element of document.querySelectorAll("[data-live]")) {
      const fresh = page.querySelector(`[data-live="${CSS.escape(element.dataset.live)}"]`);
      if (!fresh || plain(fresh) === plain(element)) continue;
      const focus = place(document.activeElement, element);
      markChanges(element, fresh);
      element.replaceWith(fresh);
      if (focus) focus(fresh);
    }
  },
};

// An element's markup without what this script has added.
function plain(element) {
  const copy = element.cloneNode(true);
  for (const marked of [copy, ...copy.querySelectorAll(".changed, tr[tabindex]")]) {
    marked.classList.remove("changed");
    if (!marked.classList.length) marked.removeAttribute("class");
    if (marked.matches("tr")) marked.removeAttribute("tabindex");
  }
  return copy.outerHTML;
}

function markChanges(before, after) {
  if (after.matches("tbody")) {
    const known = new Map([...before.rows].map(row => [key(row), row]));
    for (const row of after.rows) {
      const old = known.get(key(row));
      if (old) markChanges(old, row); else row.classList.add("changed");
    }
  } else if (after.children.length && after.children.length === before.children.length) {
    [...after.children].forEach((child, index) => markChanges(before.children[index], child));
  } else if (after.textContent !== before.textContent || plain(after) !== plain(before)) {
    after.classList.add("changed");
  }
}

function key(row) {
  return row.dataset.key ?? row.cells[0]?.textContent;
}

// What gives the focus back after an element that has it was replaced.
function place(focused, element) {
  if (!focused || !element.contains(focused)) return null;
  const row = focused.closest("tr");
  const tag = focused.localName;
  const index = row ? [...row.querySelectorAll(tag)].indexOf(focused) : -1;
  return fresh => {
    let target = focused.id ? document.getElementById(focused.id) : null;
    if (row) {
      const same = [...fresh.querySelectorAll("tr")].find(other => key(other) === key(row));
      target = same && (index < 0 ? same : same.querySelectorAll(tag)[index]);
    }
    if (target?.matches("tr")) select(target); else target?.focus({ preventScroll: true });
  };
}

function say(text) {
  let status = document.getElementById("status");
  if (!status) {
    status = document.createElement("p");
    status.id = "status";
    status.className = "notice";
    status.setAttribute("role", "status");
    document.querySelector("main").prepend(status);
  }
  status.textContent = text;
}

// MARK: Keyboard

const keys = [
  ["/", "to the search, the conditions or the query", () =>
    focusOn("main input[type=search], form.conditions select, main textarea")],
  ["j", "next row (also ↓ in a row)", () => step(1)],
  ["k", "previous row (also ↑ in a row)", () => step(-1)],
  ["]", "next page", () => follow("a[rel~=next]")],
  ["[", "previous page", () => follow("a[rel~=prev]")],
  ["?", "these keys", help],
];

document.addEventListener("keydown", event => {
  const element = event.target;
  const isField = element.matches?.("input, select, textarea");
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    if (element.form) { event.preventDefault(); element.form.requestSubmit(); }
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  if (isField) {
    if (event.key === "Escape") element.blur();
    return;
  }
  const inRow = element.matches?.("tr");
  if (inRow && event.key === "Enter") return act(event, () => element.querySelector("a")?.click());
  if (inRow && event.key === "ArrowDown") return act(event, () => step(1));
  if (inRow && event.key === "ArrowUp") return act(event, () => step(-1));
  const found = keys.find(([key]) => key === event.key);
  if (found) act(event, found[2]);
});

function act(event, action) {
  event.preventDefault();
  action();
}

function focusOn(selector) {
  const element = document.querySelector(selector);
  element?.focus();
  element?.select?.();
}

function follow(selector) {
  document.querySelector(selector)?.click();
}

function step(by) {
  const rows = [...document.querySelectorAll("table.rows tbody tr")];
  if (!rows.length) return;
  const index = rows.indexOf(document.activeElement?.closest("tr"));
  select(rows[index < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.min(Math.max(index + by, 0), rows.length - 1)]);
}

function select(row) {
  row.tabIndex = -1;
  row.focus({ preventScroll: true, focusVisible: true });
  row.scrollIntoView({ block: "nearest" });
}

function help() {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", "keys");
  const title = make(dialog, "h2", "Keys");
  title.id = "keys";
  const list = make(dialog, "dl");
  for (const [key, text] of [...keys, ["Ctrl Enter", "run the query, or apply the form"]]) {
    make(make(list, "dt"), "kbd", key);
    make(list, "dd", text);
  }
  const form = make(dialog, "form");
  form.method = "dialog";
  make(form, "button", "Close");
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function make(parent, name, text) {
  const element = document.createElement(name);
  if (text) element.textContent = text;
  parent.append(element);
  return element;
}

// MARK: Diagram

// The arrows of the table under the pointer, or with the focus, stand out.
for (const box of document.querySelectorAll(".diagram .box")) {
  const arrows = document.querySelectorAll(`.diagram .arrow[data-ends~="${box.dataset.box}"]`);
  const mark = isNear => () => arrows.forEach(arrow => arrow.classList.toggle("near", isNear));
  for (const name of ["mouseenter", "focus"]) box.addEventListener(name, mark(true));
  for (const name of ["mouseleave", "blur"]) box.addEventListener(name, mark(false));
}

live.begin();
