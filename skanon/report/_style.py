"""How a report looks: light, dark, narrow and on paper."""

STYLE = """\
.skanon-report {
  --paper: #ffffff; --ink: #1d2329; --faint: #57606a; --line: #d5dae0;
  --bar: #2f6fb0; --track: #e6ebf1; --head: #f4f6f9;
  color-scheme: light dark;
  background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  max-width: 60rem; margin: 0 auto; padding: 0.5rem 1rem 1.5rem;
  box-sizing: border-box; overflow-wrap: anywhere; text-align: left;
}
.skanon-report-page { margin: 0; background: #ffffff; }
.skanon-report h1, .skanon-report h2, .skanon-report h3 {
  line-height: 1.25; margin: 1.6rem 0 0.5rem; color: inherit;
}
.skanon-report h1 { font-size: 1.6rem; }
.skanon-report h2 { font-size: 1.25rem; }
.skanon-report h3 { font-size: 1.1rem; }
.skanon-report p { margin: 0 0 0.7rem; max-width: 46rem; }
.skanon-report .scroll { overflow-x: auto; margin: 0.6rem 0 1.2rem; }
.skanon-report table {
  border-collapse: collapse; margin: 0; font-size: 0.92em; color: inherit;
}
.skanon-report caption, .skanon-report figcaption {
  text-align: left; color: var(--faint); font-size: 0.95em; padding: 0 0 0.35rem;
}
.skanon-report th, .skanon-report td {
  padding: 0.25rem 0.7rem; border: 0; border-bottom: 1px solid var(--line);
  text-align: left !important; vertical-align: top; background: none; color: inherit;
  unicode-bidi: isolate; white-space: normal; max-width: 26rem;
  overflow-wrap: break-word;
}
.skanon-report thead th, .skanon-report thead td {
  background: var(--head); vertical-align: bottom; overflow-wrap: normal;
}
.skanon-report tbody tr { background: none !important; }
.skanon-report tbody th {
  font-weight: 500; min-width: 7rem; overflow-wrap: anywhere;
}
.skanon-report .number {
  text-align: right !important; font-variant-numeric: tabular-nums; white-space: nowrap;
}
.skanon-report thead .number { white-space: normal; }
.skanon-report .drawn {
  display: flex; align-items: center; justify-content: space-between; gap: 0.6em;
}
.skanon-report .track {
  flex: none; width: 6rem; height: 0.7em; background: var(--track);
}
.skanon-report .track .bar {
  display: block; height: 100%; background: var(--bar);
  print-color-adjust: exact; -webkit-print-color-adjust: exact;
}
.skanon-report figure { margin: 0.6rem 0 1.2rem; max-width: 36rem; }
.skanon-report svg { display: block; overflow: visible; }
.skanon-report svg text {
  fill: var(--ink); font-size: 13px; dominant-baseline: central;
}
.skanon-report svg .bar { fill: var(--bar); }
.skanon-report .scroll:focus-visible { outline: 2px solid var(--bar); }
@media (max-width: 36rem) {
  .skanon-report th, .skanon-report td { padding: 0.25rem 0.4rem; }
  .skanon-report .track { width: 2.5rem; }
}
@media (prefers-color-scheme: dark) {
  .skanon-report {
    --paper: #15191e; --ink: #e3e7ec; --faint: #a2adb9; --line: #343c46;
    --bar: #6cabec; --track: #29313a; --head: #1e242b;
  }
  .skanon-report-page { background: #15191e; }
}
@media print {
  .skanon-report {
    --paper: #ffffff; --ink: #000000; --faint: #444444; --line: #bbbbbb;
    --bar: #2f6fb0; --track: #e6ebf1; --head: #ffffff;
    max-width: none; padding: 0; font-size: 10pt;
  }
  .skanon-report-page { background: #ffffff; }
  .skanon-report .scroll { overflow: visible; }
  .skanon-report tr, .skanon-report figure { break-inside: avoid; }
  .skanon-report h1, .skanon-report h2, .skanon-report h3 { break-after: avoid; }
}
"""
"""Every rule names the report's own class, so that a notebook around it stays as is."""
