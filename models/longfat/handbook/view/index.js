const field = document.querySelector(".filter"), count = document.querySelector(".count");
field.addEventListener("input", () => {
  const wanted = field.value.toLowerCase().split(/\s+/);
  let left = 0;
  for (const one of document.querySelectorAll(".laws li")) {
    const text = `${one.textContent} ${one.dataset.more}`.toLowerCase();
    one.hidden = !wanted.every((word) => text.includes(word));
    left += !one.hidden;
  }
  for (const one of document.querySelectorAll("section")) one.hidden = !one.querySelector("li:not([hidden])");
  count.textContent = `${left} laws`;
});
