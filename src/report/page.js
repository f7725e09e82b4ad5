"use strict";
(() => {
  const box = document.getElementById("search"), count = document.getElementById("found");
  const all = [...document.querySelectorAll(".item")];
  const texts = new Map();
  const text = (one) => {
    if (!texts.has(one)) texts.set(one, one.textContent.toLowerCase());
    return texts.get(one);
  };
  const look = () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const one of all) {
      const fits = words.every((word) => text(one).includes(word));
      one.hidden = !fits;
      shown += fits ? 1 : 0;
      for (const event of one.querySelectorAll("li.event"))
        event.hidden = fits && words.length > 0 && one.open && !words.some((word) => text(event).includes(word));
    }
    count.textContent = words.length ? `${shown} of ${all.length}` : "";
  };
  let waiting = 0;
  box.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(look, 120); });
  for (const one of all) one.addEventListener("toggle", () => { if (box.value) look(); });
  document.addEventListener("keydown", (key) => {
    if (key.key === "/" && document.activeElement !== box && !key.ctrlKey && !key.metaKey) { key.preventDefault(); box.focus(); }
    if (key.key === "Escape" && document.activeElement === box) { box.value = ""; look(); box.blur(); }
  });
  box.parentElement.hidden = false;
})();
