// A link to a call opens what is said of it.
function open() {
  for (let e = document.getElementById(location.hash.slice(1)); e; e = e.parentElement) {
    if (e.tagName === "DETAILS") e.open = true;
  }
}
addEventListener("hashchange", open);
open();

// Searching and choosing among the remarks; keys: / to search, j and k to the next and the one before. So many are in the
// page at once: the others wait in a template.
const most = 300;
const list = document.querySelector(".remarks");
const search = document.getElementById("search");
const kind = document.getElementById("kind");
function choose(items, texts) {
  const words = search.value.toLowerCase().split(/\s+/);
  const name = (item) => item.firstElementChild.dataset.name;
  const matches = (item, i) => (!kind.value || kind.value === name(item)) && words.every((word) => texts[i].includes(word));
  const found = items.filter(matches);
  list.replaceChildren(...found.slice(0, most));
  const count = found.length + (found.length === 1 ? " remark" : " remarks");
  document.getElementById("shown").textContent = found.length > most ? count + ", the first " + most + " shown" : count;
}
function step(by) {
  const shown = [...list.querySelectorAll("summary")];
  const next = shown[Math.max(0, Math.min(shown.length - 1, shown.indexOf(document.activeElement) + by))];
  if (next) next.focus();
}
if (list) {
  const waiting = document.getElementById("more-remarks");
  const items = [...list.children, ...(waiting ? waiting.content.children : [])];
  const texts = items.map((item) => item.textContent.toLowerCase());
  const again = () => choose(items, texts);
  search.addEventListener("input", again);
  kind.addEventListener("change", again);
  search.form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|SELECT/.test(event.target.tagName)) return;
    if (event.key === "/") { event.preventDefault(); search.focus(); }
    if (event.key === "j") step(1);
    if (event.key === "k") step(-1);
  });
  const wanted = new URLSearchParams(location.search).get("search");
  if (wanted) { search.value = wanted; again(); }
}
