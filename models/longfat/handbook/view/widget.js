// In Jupyter: the view beside an object of Python, which has its state, its last picture and the simulator.

function render({ model, el }) {
  const hides = document.createElement("style"), place = document.createElement("div"), names = Object.keys(longfatRecords);
  let view, stop = null, timer = 0, number = 0;
  el.classList.add("lf-widget");
  // Keys alone are those of the sliders and fields, not of the notebook, which has commands on arrows; Ctrl+S is its own.
  el.addEventListener("keydown", (event) => { if (!event.ctrlKey && !event.metaKey && !event.altKey) event.stopPropagation(); });
  const theme = () => { el.dataset.theme = document.body.dataset.jpThemeLight === "false" ? "dark" : "light"; };
  const themes = new MutationObserver(theme);
  themes.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
  theme();
  // The last picture, which a saved notebook has below the view, is not needed beside the view itself.
  hides.textContent = `.longfat-picture-${model.get("name")} { display: none; }`;
  document.head.append(hides);

  const tell = () => {
    clearTimeout(timer);
    timer = setTimeout(() => { model.set("picture", longfatView.pictured(view)); model.save_changes(); }, 700);
  };
  const changed = (state) => {
    model.set("shown", { ...state, law: view.record.id });
    model.save_changes();
    tell();
  };
  const simulate = (request, told) => {
    const own = ++number;
    stop = (one) => { if (one.number === own) told(one); if (one.kind === "point") tell(); };
    model.send({ ...request, number: own });
    return () => { stop = null; model.send({ number: own, end: true }); };
  };
  const show = () => {
    const state = model.get("shown"), record = longfatRecords[state.law];
    if (view && view.record.id === state.law) {
      if (JSON.stringify({ ...view.state(), law: state.law }) !== JSON.stringify(state)) { view.restore(state); view.later(); tell(); }
      return;
    }
    if (view) view.close();
    place.replaceChildren();
    view = longfatView.mount(place.appendChild(document.createElement("div")), record, longfat.laws[state.law],
      { state, changed, ...(record.simulator ? { simulate } : {}) });
    tell();
  };
  const message = (one) => { if (stop) stop(one); };
  if (names.length > 1) {
    const choice = document.createElement("select"), label = document.createElement("label"), groups = {};
    choice.className = "lf-law";
    for (const name of names) {
      const [family, ...rest] = name.split(".");
      groups[family] ||= choice.appendChild(Object.assign(document.createElement("optgroup"), { label: family }));
      groups[family].append(new Option(rest.join(".").replace(/_/g, " "), name));
    }
    label.append("law ", choice);
    choice.addEventListener("change", () => { model.set("shown", { ...view.state(), x: "", family: "", family_values: [], values: view.carried(longfatRecords[choice.value]), law: choice.value }); model.save_changes(); });
    const settle = () => { choice.value = model.get("shown").law; };
    model.on("change:shown", settle);
    settle();
    const row = document.createElement("p");
    row.append(label);
    el.append(row);
  }
  el.append(place);
  model.on("change:shown", show);
  model.on("msg:custom", message);
  show();
  return () => { clearTimeout(timer); hides.remove(); themes.disconnect(); model.off("change:shown", show); model.off("msg:custom", message); view.close(); };
}

export default { render };
