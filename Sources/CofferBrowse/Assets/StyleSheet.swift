/// The files that pages refer to, as parts of the program.
enum Assets {
  /// The style sheet: light and dark, for narrow windows, for print.
  static let styleSheet = #"""
    :root {
      color-scheme: light dark;
      --back: #fbfbfa; --paper: #fff; --raised: #f3f3f1; --line: #e3e3df; --strong: #c9c9c3;
      --ink: #1d1f21; --soft: #5f6368; --faint: #73777c;
      --accent: #1f6f5c; --fill: #3f9a83; --wash: #e3f1ec; --mark: #fff0b8;
      --minus: #cf7c6b; --bad: #b3261e; --bad-wash: #fbeae8; --warn: #8a5a00; --warn-wash: #fdf3dc;
      --mono: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace;
      --sans: system-ui, -apple-system, "Segoe UI", Roboto, Cantarell, "DejaVu Sans", sans-serif;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --back: #151719; --paper: #1b1e20; --raised: #24282b; --line: #2e3337; --strong: #454c52;
        --ink: #e6e7e8; --soft: #a5abb0; --faint: #8d949a;
        --accent: #7fd1b9; --fill: #3c8f7a; --wash: #1d322c; --mark: #4a431d;
        --minus: #b4614f; --bad: #ff9b92; --bad-wash: #3a2221; --warn: #edc06a; --warn-wash: #352c18;
      }
    }
    * { box-sizing: border-box; }
    html { font: 15px/1.5 var(--sans); background: var(--back); color: var(--ink); }
    body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; }
    main { flex: 1; width: 100%; max-width: 1360px; margin: 0 auto; padding: 24px 24px 48px; min-width: 0; }
    main:focus { outline: none; }
    h1 { font-size: 1.55rem; line-height: 1.25; font-weight: 650; letter-spacing: -.01em; margin: 0 0 16px; overflow-wrap: anywhere; }
    h2 { font-size: 1.1rem; font-weight: 650; margin: 32px 0 10px; overflow-wrap: anywhere; }
    h3 { font-size: 1rem; font-weight: 650; margin: 24px 0 8px; overflow-wrap: anywhere; }
    p { margin: 8px 0; max-width: 76ch; overflow-wrap: anywhere; }
    a { color: var(--accent); text-decoration-color: color-mix(in srgb, currentColor 35%, transparent); text-underline-offset: 3px; }
    a:hover { text-decoration-color: currentColor; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
    code, pre, kbd, samp, textarea { font: 13px/1.5 var(--mono); }
    td, th, dd, code, pre, li, text, h1, h2 { unicode-bidi: isolate; }
    small, .soft, .note { color: var(--soft); font-size: .87rem; }
    hr { border: 0; border-top: 1px solid var(--line); margin: 24px 0; }
    .skip { position: absolute; left: -999px; }
    .skip:focus { left: 12px; top: 8px; background: var(--paper); padding: 6px 10px; z-index: 9; }
    .hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }

    body > header { background: var(--paper); border-bottom: 1px solid var(--line); position: sticky; top: 0; z-index: 5; }
    body > header > * { max-width: 1280px; margin: 0 auto; }
    body > header { padding: 0 24px; display: flex; flex-wrap: wrap; gap: 0 28px; align-items: center; }
    body > header > * { margin: 0; }
    body > header > :first-child { font-weight: 650; padding: 10px 0; overflow-wrap: anywhere; min-width: 0; }
    body > header nav { display: flex; flex-wrap: wrap; gap: 0 20px; }
    body > header nav ul { display: contents; list-style: none; }
    body > header nav a { color: var(--soft); text-decoration: none; padding: 12px 0 10px; border-bottom: 2px solid transparent; display: inline-block; }
    body > header nav a:hover { color: var(--ink); }
    body > header nav a[aria-current] { color: var(--ink); border-color: var(--accent); }
    body > footer { border-top: 1px solid var(--line); color: var(--faint); font-size: .87rem; padding: 12px 24px; }

    main ul { padding-left: 1.3em; }
    ul.history { list-style: none; padding: 0; }
    ul.history a { font: 13px/1.7 var(--mono); overflow-wrap: anywhere; }
    .scroll { margin: 16px 0; }
    .scroll, .diagram, .chart { overflow-x: auto; max-width: 100%; }
    table { border-collapse: collapse; font-size: .93rem; font-variant-numeric: tabular-nums; }
    th, td { text-align: left; vertical-align: top; padding: 5px 14px 5px 10px; border-bottom: 1px solid var(--line); }
    thead th { font-weight: 600; white-space: nowrap; color: var(--soft); border-bottom: 1px solid var(--strong); }
    thead th a { color: inherit; text-decoration: none; }
    thead th a:hover { color: var(--ink); text-decoration: underline; }
    tbody tr:hover { background: color-mix(in srgb, var(--raised) 60%, transparent); }
    tbody tr:focus-visible { outline-offset: -2px; }
    caption { text-align: left; color: var(--soft); font-size: .87rem; padding: 0 0 6px; caption-side: top; }
    tbody th { font-weight: inherit; }
    table.rows { background: var(--paper); border: 1px solid var(--line); min-width: 40%; }
    table.rows td { max-width: 44ch; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    table.rows thead th { background: var(--raised); }
    .number, td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
    .null { color: var(--faint); font-style: italic; }
    .blob, .hex { font-family: var(--mono); font-size: .87rem; color: var(--soft); }
    td a.more, td .in { color: var(--faint); font-size: .87rem; }
    .tag, .type { color: var(--soft); font-size: .87rem; }
    table.facts th { font-weight: 400; color: var(--soft); padding-left: 0; white-space: nowrap; }
    table.facts td { overflow-wrap: anywhere; text-align: left; }
    [data-live=facts] .facts, [data-live=facts] .facts tbody { display: block; }
    [data-live=facts] .facts tbody { columns: 24rem 2; column-gap: 48px; }
    [data-live=facts] .facts tr { display: flex; break-inside: avoid; border-bottom: 1px solid var(--line); }
    [data-live=facts] .facts th { flex: 0 0 40%; white-space: normal; }
    [data-live=facts] .facts th, [data-live=facts] .facts td { border: 0; }
    .document { background: var(--paper); border: 1px solid var(--line); border-radius: 8px; padding: 12px 16px; margin: 10px 0; }
    .diff ins { background: var(--wash); text-decoration: none; }
    .diff del { background: var(--bad-wash); color: var(--soft); }
    dl { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: 4px 20px; margin: 8px 0; }
    dt { color: var(--soft); }
    dd { margin: 0; overflow-wrap: anywhere; min-width: 0; }
    pre { background: var(--paper); border: 1px solid var(--line); border-radius: 6px; padding: 12px 14px; overflow-x: auto; margin: 8px 0; tab-size: 4; }
    pre.text { white-space: pre-wrap; overflow-wrap: anywhere; }
    summary { cursor: pointer; color: var(--soft); }
    summary:hover { color: var(--ink); }
    img { max-width: 100%; height: auto; background: repeating-conic-gradient(var(--line) 0 25%, var(--paper) 0 50%) 0 0 / 16px 16px; }

    .notice, .error, .warning { border-left: 3px solid var(--fill); background: var(--wash); padding: 8px 12px; border-radius: 0 6px 6px 0; }
    .error { border-color: var(--bad); background: var(--bad-wash); color: var(--bad); }
    .warning { border-color: var(--warn); background: var(--warn-wash); }
    .scan, .advice { color: var(--warn); }

    form { margin: 12px 0; }
    form button + button { margin-left: 8px; }
    form.query { margin-bottom: 4px; }
    form.stop { margin-top: 0; }
    form.stop button { background: none; border-color: transparent; color: var(--soft); padding-left: 0; }
    form.stop button:hover { color: var(--ink); text-decoration: underline; }
    form.conditions, form .line, .tools { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
    label, legend { color: var(--soft); }
    fieldset { border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; min-width: 0; }
    legend { float: left; padding: 0; }
    form.conditions p { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; margin: 0; min-width: 0; max-width: 100%; }
    form.conditions fieldset { max-width: 100%; }
    form.conditions select, form.conditions input { min-width: 0; }
    input, select, button, textarea { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--strong); border-radius: 6px; padding: 5px 10px; max-width: 100%; }
    textarea { font: 13px/1.5 var(--mono); width: 100%; min-height: 8em; padding: 10px 12px; resize: vertical; display: block; margin: 8px 0; }
    input[type=number] { font-variant-numeric: tabular-nums; width: 7em; }
    button, .button { cursor: pointer; background: var(--raised); color: var(--ink); border: 1px solid var(--strong); border-radius: 6px; padding: 5px 14px; text-decoration: none; }
    button:hover, .button:hover { border-color: var(--soft); }
    button[type=submit].primary, button.primary { background: var(--accent); border-color: var(--accent); color: var(--back); font-weight: 600; }
    nav.pages { display: flex; flex-wrap: wrap; gap: 6px 18px; align-items: center; margin: 12px 0; color: var(--soft); }
    nav.pages [aria-disabled] { color: var(--faint); opacity: .6; }
    progress { accent-color: var(--fill); width: 100%; max-width: 28rem; }

    ul.plan, ul.plan ul, .tree, .tree ul { list-style: none; margin: 0; padding: 0; }
    ul.plan ul, .tree ul { margin-left: 8px; padding-left: 14px; border-left: 1px solid var(--line); }
    ul.plan li, .tree li { padding: 1px 0; overflow-wrap: anywhere; }
    ul.plan { font: 13px/1.7 var(--mono); }
    .tree { font: 13px/1.6 var(--mono); }
    .tree div { display: inline; }
    .tree .number { color: var(--accent); }

    svg { display: block; font: 12px var(--sans); }
    svg text { fill: var(--ink); }
    .diagram { border: 1px solid var(--line); border-radius: 8px; background: var(--paper); }
    .diagram .notice { margin: 12px; }
    .diagram svg { font: 12px var(--mono); }
    .diagram rect { fill: var(--paper); stroke: var(--strong); }
    .diagram .box path { stroke: var(--line); }
    .diagram .box { text-decoration: none; }
    .diagram .box:hover rect, .diagram .box:focus rect { stroke: var(--accent); stroke-width: 1.5; }
    .diagram .name { font-weight: 650; }
    .diagram .box:hover .name { fill: var(--accent); }
    .diagram .key { font-weight: 600; }
    .diagram .type { font-size: 11px; fill: var(--faint); text-anchor: end; }
    .diagram .more { text-anchor: start; }
    .diagram circle.primary { fill: var(--fill); }
    .diagram circle.foreign { fill: none; stroke: var(--fill); stroke-width: 1.5; }
    .diagram .arrow { fill: none; stroke: var(--faint); stroke-width: 1.25; }
    .diagram .arrow:hover, .diagram .arrow.near { stroke: var(--accent); stroke-width: 2; }
    .diagram marker path { fill: context-stroke; }
    .chart { margin: 16px 0; }
    .chart svg { width: 100%; max-width: 860px; min-width: 520px; height: auto; }
    .chart figcaption { color: var(--soft); font-size: .87rem; margin-bottom: 6px; }
    .chart rect { fill: var(--fill); }
    .chart rect.negative { fill: var(--minus); }
    .chart .label, .chart .value { text-anchor: end; }
    .chart .middle { text-anchor: middle; }
    .chart .label, .chart .middle { fill: var(--soft); }
    .chart .bar .label { fill: var(--ink); }
    .chart .bar a .label { fill: var(--accent); }
    .chart .bar a:hover .label { text-decoration: underline; }
    .chart .value { font-variant-numeric: tabular-nums; fill: var(--soft); }
    .chart .axis { stroke: var(--strong); }
    .chart .grid { stroke: var(--line); }
    .chart .line { fill: none; stroke: var(--fill); stroke-width: 2; stroke-linejoin: round; }
    .chart .point { fill: var(--fill); }

    .changed { animation: changed 2.5s ease-out; }
    @keyframes changed { from { background-color: var(--mark); fill: var(--warn); } }
    dialog { background: var(--paper); color: var(--ink); border: 1px solid var(--strong); border-radius: 10px; padding: 20px 24px; max-width: 30rem; }
    dialog::backdrop { background: rgb(0 0 0 / .35); }
    dialog h2 { margin-top: 0; }
    kbd { background: var(--raised); border: 1px solid var(--line); border-bottom-width: 2px; border-radius: 4px; padding: 0 5px; }
    @media (prefers-reduced-motion: reduce) {
      .changed { animation: none; outline: 2px solid var(--warn); outline-offset: -2px; }
    }
    @media (max-width: 640px) {
      body > header { position: static; padding: 0 14px; }
      body > header nav { gap: 0 16px; }
      main { padding: 16px 14px 40px; }
      body > footer { padding: 12px 14px; }
      dl { grid-template-columns: 1fr; gap: 0; }
      dd { margin-bottom: 8px; }
      table.rows td { max-width: 28ch; }
    }
    @media print {
      body > header, form, nav, button, footer { display: none; }
      .scroll, .diagram, .chart { overflow: visible; }
      table.rows td { white-space: normal; overflow-wrap: anywhere; }
    }
    """#
}
