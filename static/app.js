// Comforts only: the page works without this file. Copy, a draft that survives reload and back,
// and small repairs after htmx has put a new part in place.
(() => {
  "use strict";

  const form = () => document.getElementById("work");
  const address = () => form().getAttribute("action");
  const place = () => `lockwright.draft${address() === "/" ? "" : address()}`;

  const written = (element) => {
    const pairs = new URLSearchParams();
    for (const [name, value] of new FormData(element)) {
      if (typeof value === "string") pairs.append(name, value);
    }
    return pairs.toString();
  };

  const storage = (() => {
    try { return window.sessionStorage; } catch { return null; }
  })();

  // A draft belongs to its page and to its entry in the history: Back and reload find what stood
  // there, whatever was begun since. Where the room is used up, the oldest entry makes place.
  const ENTRY = "lockwright.entry.";
  const entry = history.state?.entry ?? `${ENTRY}${Date.now()}`;
  const before = () => place().replace(".draft", ".before");
  const served = () => place().replace(".draft", ".served");

  const makeRoom = () => {
    const [oldest] = Object.keys(storage).filter((name) => name.startsWith(ENTRY) && name !== entry).sort();
    if (oldest) storage.removeItem(oldest);
    return Boolean(oldest);
  };
  const store = (name, text) => {
    try { storage.setItem(name, text); } catch { if (makeRoom()) store(name, text); }
  };

  let isBringing = false;
  const keep = () => {
    if (!form() || !storage || isBringing) return;
    if (history.state?.entry !== entry) history.replaceState({ ...history.state, entry }, "");
    store(place(), written(form()));
    store(entry, written(form()));
  };

  const UNTYPED = ["noted", "said", "told", "sent", "sending", "seed", "keys", "confirmed"];
  const typedIn = (draft) => {
    const pairs = [...new URLSearchParams(draft)].filter(([name]) => !UNTYPED.includes(name));
    return JSON.stringify(pairs);
  };
  const isSame = (one, other) => other !== null && typedIn(one) === typedIn(other);

  // Exactly the draft's pairs are sent: with a source, htmx would add the fields of the form as it
  // was served, and rows that were removed would come back.
  const send = (draft, path, target) => {
    const values = new FormData();
    for (const [name, value] of new URLSearchParams(draft)) values.append(name, value);
    return htmx.ajax("POST", path, { values, target, swap: "outerHTML" });
  };

  const bring = (draft) => {
    const done = () => {
      isBringing = false;
      form().inert = false;
      keep();
      offer();
    };
    isBringing = true;
    form().inert = true;
    typed += 1;
    send(draft, address(), "#work").then(done, done);
  };

  const offer = () => {
    const button = document.getElementById("again");
    const was = form() && storage?.getItem(before());
    if (button) button.hidden = !was || isSame(was, written(form()));
  };

  // A start, a link or a plan from elsewhere takes the place of what was typed, which can be had back.
  const replace = (latest) => {
    const now = written(form());
    const isTyped = latest !== null && !isSame(latest, storage.getItem(served()));
    if (isTyped && !isSame(latest, now)) store(before(), latest);
    store(served(), form().dataset.posted === "no" ? now : "");
  };

  // A page that was asked for anew shows what its address says; one that is come back to, the draft.
  const arrive = () => {
    if (!form() || !storage) return;
    const latest = storage.getItem(place());
    const [visit] = performance.getEntriesByType("navigation");
    const isBack = visit && visit.type !== "navigate";
    const isPlain = form().dataset.posted === "no" && location.search === "";
    const draft = (isBack ? storage.getItem(entry) : null) ?? (isBack || isPlain ? latest : null);
    if (draft === null) replace(latest);
    if (draft !== null && draft !== written(form())) bring(draft);
    else keep();
    offer();
  };

  document.addEventListener("click", (event) => {
    if (event.target.id !== "again") return;
    const now = written(form());
    const draft = storage.getItem(before());
    if (isSame(now, storage.getItem(served()))) storage.removeItem(before());
    else store(before(), now);
    bring(draft);
  });

  // The page of the tables looks at the design that stands in the form of the first page.
  const bringDesign = () => {
    const draft = storage?.getItem("lockwright.draft");
    if (!draft || document.getElementById("tables")?.dataset.brought !== "no") return;
    send(draft, "/table", "#tables");
  };

  const markInvalid = () => {
    for (const note of document.querySelectorAll(".note")) {
      const control = document.getElementById(note.id.replace(/^note-/, ""));
      if (!control || !control.matches("input, select, textarea")) continue;
      if (note.textContent) control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
    }
  };

  const showCopy = () => {
    for (const button of document.querySelectorAll("[data-copy]")) {
      const source = document.getElementById(button.dataset.copy);
      button.hidden = !navigator.clipboard || !source || source.dataset.cut === "yes";
    }
  };

  // What is shown lags behind what was typed until an answer comes; a button's request carries
  // everything that was typed before it, so the update that waits behind it is not needed.
  let typed = 0;
  let sent = 0;
  const side = () => document.querySelector(".side");
  const isBusy = () => side()?.getAttribute("aria-busy") === "true";

  document.addEventListener("htmx:beforeRequest", (event) => {
    const { elt, target, xhr } = event.detail;
    if (target?.id !== "sending") { // that asks after a run, and shows nothing typed
      if (event.target === form() && sent === typed) return event.preventDefault();
      sent = typed;
    }
    if (elt.closest("#work")) begin(elt, xhr);
  });

  const refresh = () => {
    if (sent === typed) side()?.removeAttribute("aria-busy");
    markInvalid();
    showCopy();
    keep();
  };

  // What was typed while a button's request was under way is not in its answer: ask once more.
  document.addEventListener("htmx:beforeSwap", (event) => {
    const source = event.detail.requestConfig?.elt;
    if (event.detail.target.id !== "work" || sent === typed || !source?.matches("button, select")) return;
    event.detail.shouldSwap = false;
    held.unshift(noted(source));
  });

  // The form answers one press after the other. One that comes while an answer is under way is held
  // and pressed again when that answer stands: its own button may be gone by then, its row moved.
  let current = null;
  let held = [];
  const noted = ({ tagName, id, name, value }) => ({ tagName, id, name, value });
  const twin = (press) => [...document.querySelectorAll("button, select")].find(
    (other) => other.tagName === press.tagName && ((press.id && other.id === press.id)
      || (press.name && other.name === press.name && (other.value === press.value || other.matches("select")))),
  );

  const begin = (elt, xhr) => {
    current = { elt, xhr };
    xhr.addEventListener("loadend", () => {
      if (!elt.isConnected) held = held.map((press) => moved(press, noted(elt))).filter(Boolean);
      if (current.xhr === xhr) current = null;
      release();
    });
  };
  const release = () => {
    while (held.length && !current) {
      const press = held.shift();
      const button = twin(press);
      if (button?.matches("select")) htmx.trigger(button, "change");
      else button?.click();
    }
  };
  const hold = (event, button) => {
    if (!current || !button?.matches("button, select") || !button.closest("#work")) return;
    event.preventDefault();
    const isTwice = button === current.elt && button.name !== "do"; // one run is enough
    if (!isTwice) held.push(noted(button));
  };
  document.addEventListener("htmx:confirm", (event) => hold(event, event.detail.elt));
  document.addEventListener("submit", (event) => {
    if (event.submitter && !event.submitter.matches("[hx-post]")) hold(event, event.submitter);
  });

  // Buttons of rows are named by their place: "rule-up/1", "remove-attribute/0/2" or "up a/0/b/1".
  const LISTS = { rule: "rules", part: "rules", change: "changes", attribute: "changes", ruled: "changes" };
  const SHIFTS = {
    remove: (row, at) => (row > at ? row - 1 : row === at ? null : row),
    up: (row, at) => (row === at ? at - 1 : row === at - 1 ? at : row),
    down: (row, at) => (row === at ? at + 1 : row === at + 1 ? at : row),
  };
  const placed = ({ name, value }) => {
    if (name === "look") return { head: "", list: "changes", path: value.split("/") };
    const [head] = value.match(/^[^ /]*[ /]?/);
    const noun = head.endsWith(" ") ? "" : head.match(/(rule|part|change|attribute|ruled)?(-up|-down)?\/?$/)[1];
    return { head, list: LISTS[noun] ?? "", path: value.slice(head.length).split("/") };
  };
  const moved = (press, by) => {
    const verb = by.name === "do" && by.value.match(/\b(remove|up|down)\b/)?.[1];
    if (!verb || press.tagName !== "BUTTON") return press;
    const [mine, its] = [placed(press), placed(by)];
    const depth = its.path.length - 1;
    const isBelow = mine.list === its.list && its.path.slice(0, depth).every((part, at) => part === mine.path[at]);
    if (!isBelow || !/^\d+$/.test(mine.path[depth] ?? "")) return press;
    const row = SHIFTS[verb](Number(mine.path[depth]), Number(its.path[depth]));
    return row === null ? null : { ...press, value: mine.head + mine.path.with(depth, String(row)).join("/") };
  };

  let open = [];
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (["work", "result"].includes(event.detail.target.id)) {
      open = [...document.querySelectorAll("details[open][id]")].map((part) => part.id);
    }
  });
  document.addEventListener("htmx:afterSwap", () => {
    for (const id of open) document.getElementById(id)?.setAttribute("open", "");
    open = [];
  });
  document.addEventListener("htmx:afterSettle", refresh);

  // Whoever pressed something that is swapped away goes on at what came of it: the outcome of a
  // run, the same button in the new form, or the start of the page, but never nowhere.
  let left = null;
  const FOUND = ["outcome", "stop", "sending", "problems"];
  const landing = (element) => {
    const isRun = element.name === "endpoint" || ["sending", "stop"].includes(element.id);
    const found = isRun ? FOUND.map((id) => document.getElementById(id)).find(Boolean) : null;
    if (found || !element.matches("button")) return found;
    return twin(element) ?? document.getElementById("start") ?? document.getElementById("main");
  };
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    const { elt, triggeringEvent } = detail.requestConfig ?? {};
    const active = document.activeElement;
    if (detail.target.contains(active)) left = active;
    else left = active === document.body ? triggeringEvent?.submitter ?? elt : null;
  });
  document.addEventListener("htmx:afterSettle", () => {
    const element = left;
    left = null;
    if (!element || ![document.body, document.getElementById("sending")].includes(document.activeElement)) return;
    const found = landing(element);
    if (!found || found.id === "main") return found?.focus({ preventScroll: true });
    found.focus({ preventScroll: true });
    found.scrollIntoView({ block: FOUND.includes(found.id) ? "center" : "nearest" });
  });

  const tellLost = () => {
    side()?.removeAttribute("aria-busy");
    const bar = document.getElementById("bar");
    if (bar) bar.querySelector("[role=status]").textContent = bar.dataset.lost;
  };
  document.addEventListener("htmx:sendError", tellLost);
  document.addEventListener("htmx:responseError", tellLost);

  document.addEventListener("input", (event) => {
    keep();
    if (event.target.form === form()) {
      typed += 1;
      side()?.setAttribute("aria-busy", "true");
    }
    const row = event.target.closest?.(".row");
    if (row && event.target.matches(".type")) {
      for (const text of row.querySelectorAll(".cell > textarea")) {
        text.inputMode = event.target.value === "N" ? "decimal" : "text";
      }
    }
  });

  // A value of one line is sent by Enter, as in any field of one line; Shift and Enter add a line.
  const MANY_LINES = ["SS", "NS", "BS", "L", "M"];
  document.addEventListener("keydown", (event) => {
    const area = event.target;
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || !area.matches?.(".cell > textarea")) return;
    const type = area.closest(".row").querySelector(".type")?.value;
    if (area.value.includes("\n") || MANY_LINES.includes(type)) return;
    event.preventDefault();
    form()?.querySelector(".default")?.click();
  });

  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-copy]");
    if (!button) return;
    while (isBusy()) await new Promise((go) => setTimeout(go, 50));
    const source = document.getElementById(button.dataset.copy);
    await navigator.clipboard.writeText(source.href ?? source.textContent);
    const name = button.textContent;
    button.textContent = button.dataset.copied;
    setTimeout(() => { button.textContent = name; }, 1600);
  });

  // A fault leads to its line of what was pasted.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-line]");
    const area = link && document.querySelector(link.hash);
    if (!area) return;
    event.preventDefault();
    const before = area.value.split("\n").slice(0, link.dataset.line - 1);
    const start = before.reduce((sum, line) => sum + line.length + 1, 0);
    const end = area.value.indexOf("\n", start);
    area.focus();
    area.setSelectionRange(start, end < 0 ? area.value.length : end);
    const height = parseFloat(getComputedStyle(area).lineHeight);
    area.scrollTop = Math.max(0, (link.dataset.line - 4) * height);
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button[name=theme]");
    if (!button) return;
    event.preventDefault();
    document.cookie = `theme=${button.value}; path=/; max-age=31536000; samesite=lax`;
    document.documentElement.dataset.theme = button.value;
    for (const other of document.querySelectorAll("button[name=theme]")) {
      other.setAttribute("aria-pressed", String(other === button));
    }
  });

  // A page that the browser kept whole is again the latest of its kind.
  window.addEventListener("pageshow", (event) => { if (event.persisted) keep(); });

  showCopy();
  arrive();
  bringDesign();
})();
