// A link to a call opens what is said of it.
function open() {
  for (let e = document.getElementById(location.hash.slice(1)); e; e = e.parentElement) {
    if (e.tagName === "DETAILS") e.open = true;
  }
}
addEventListener("hashchange", open);
open();
