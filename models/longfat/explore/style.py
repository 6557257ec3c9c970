"""Style sheet: full width, labels of at least 12 px, a visible focus, the colours of the page."""

CSS = """<style>
.lf-view { width: 100%; max-width: 1500px; margin: 0 auto; font-size: 14px; line-height: 1.4; box-sizing: border-box;
  overflow: visible !important; }
.lf-view * { box-sizing: border-box; }
.lf-view .widget-html-content, .lf-view .jupyter-widget-html-content { font-size: 14px; line-height: 1.4;
  white-space: normal; overflow-wrap: anywhere; }
.lf-view .widget-html, .lf-view .jupyter-widgets { max-width: 100%; min-width: 0; }
.lf-view label, .lf-view select, .lf-view input, .lf-view button { font-size: 14px !important; }
.lf-view .widget-label, .lf-view .jupyter-widget-label { width: auto; min-width: 84px; text-align: left; }
.lf-head h2 { font-size: 20px; margin: 4px 0; } .lf-head p { margin: 2px 0; }
.lf-note { opacity: 0.8; font-size: 13px; } .lf-warn { border-left: 4px solid #D55E00; padding-left: 8px; }
.lf-name { margin-top: 4px; } .lf-name code { background: none; padding: 0; font-weight: 600; }
.lf-range { opacity: 0.75; font-size: 12px; }
.lf-chart { width: 100%; color: var(--jp-content-font-color1, #222); }
.lf-plot { display: grid; grid-template-columns: 64px minmax(0, 1fr); padding: 10px 18px 0 0; }
.lf-area { position: relative; height: clamp(240px, 52vh, 480px); }
.lf-area svg { width: 100%; height: 100%; display: block; overflow: hidden; }
.lf-area svg path { vector-effect: non-scaling-stroke; fill: none; stroke-linejoin: round; }
.lf-yticks, .lf-xticks { position: relative; font-size: 12.5px; font-variant-numeric: tabular-nums; }
.lf-yticks span { position: absolute; right: 7px; transform: translateY(50%); white-space: nowrap; }
.lf-xticks { height: 22px; } .lf-xticks span { position: absolute; top: 3px; transform: translateX(-50%);
  white-space: nowrap; }
.lf-xname { text-align: center; padding-left: 64px; } .lf-yname { padding-left: 8px; font-weight: 600; }
.lf-view details { padding: 0 8px; } .lf-view summary { cursor: pointer; }
.lf-legend { display: flex; flex-wrap: wrap; gap: 2px 18px; padding: 6px 8px 6px 64px; font-size: 13px; }
.lf-key { display: inline-flex; align-items: center; gap: 6px; }
.lf-key path { fill: none; } .lf-empty { padding: 60px 20px; text-align: center; }
.lf-value { font-size: 16px; padding: 2px 8px; } .lf-value b { font-size: 20px; font-variant-numeric: tabular-nums; }
.lf-links a { display: inline-block; margin: 2px 14px 2px 0; padding: 3px 0; text-decoration: underline; }
.lf-view .widget-htmlmath { width: auto; } .lf-view .widget-htmlmath-content { min-width: 0; width: 100%; }
.lf-law { overflow-wrap: normal; } .lf-law mjx-container, .lf-law table {
  display: block; max-width: 100%; overflow-x: auto; overflow-y: hidden; }
.lf-law table { border-collapse: collapse; } .lf-law td, .lf-law th { padding: 2px 8px;
  text-align: left; }
.lf-code { overflow-x: auto; background: rgba(127,127,127,0.12); padding: 8px; white-space: pre-wrap; font-size: 13px; }
.lf-view .noUi-handle:focus-visible, .lf-view .noUi-handle:focus, .lf-view select:focus-visible,
.lf-view input:focus-visible, .lf-view button:focus-visible, .lf-view a:focus-visible,
.lf-view .jupyter-widget-Collapse-header:focus-visible { outline: 3px solid #D55E00 !important; outline-offset: 2px; }
</style>"""
