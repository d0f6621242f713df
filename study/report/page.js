'use strict';
// Charts read their numbers back from their own paths: whole numbers on a grid, the ends of the axes as attributes.
const WIDTH = 5000, HEIGHT = 10000;
const number = (element, name) => Number(element.getAttribute(name));

function seriesOf(chart) {
  const plot = chart.querySelector('.plot');
  const x0 = number(plot, 'data-x0'), x1 = number(plot, 'data-x1');
  const y0 = number(plot, 'data-y0'), y1 = number(plot, 'data-y1');
  const log = plot.hasAttribute('data-y-log');
  const toX = x => x0 + (x1 - x0) * x / WIDTH;
  const toY = y => log ? y0 * Math.pow(y1 / y0, 1 - y / HEIGHT) : y0 + (y1 - y0) * (1 - y / HEIGHT);
  const found = [];
  for (const path of plot.querySelectorAll('path[data-kind=line],path[data-kind=area],path[data-kind=points]')) {
    const points = [];
    let x = 0, y = 0, relative = false;
    for (const [part] of path.getAttribute('d').matchAll(/[Mlh]|-?\d+[ ]?-?\d+|-?\d+/g)) {
      if (part === 'M' || part === 'l' || part === 'h') { relative = part === 'l'; continue; }
      const pair = part.match(/-?\d+/g).map(Number);
      if (pair.length < 2) continue;
      x = relative ? x + pair[0] : pair[0];
      y = relative ? y + pair[1] : pair[1];
      points.push([x, y]);
    }
    const area = path.dataset.kind === 'area';
    if (area) points.splice(-2);
    found.push({name: path.dataset.series, area, points: points.map(p => [toX(p[0]), toY(p[1])])});
  }
  // An area's own height is its edge less that of the one below, which is drawn after it.
  const areas = found.filter(s => s.area);
  areas.forEach((s, k) => {
    const below = areas[k + 1];
    s.heights = s.points.map((p, i) => [p[0], p[1] - (below ? below.points[i][1] : y0)]);
  });
  for (const s of areas) s.points = s.heights;
  return found;
}

function xText(chart, x) {
  const kind = chart.dataset.x;
  if (kind === 'rank') return JSON.parse(chart.dataset.names)[Math.round(x) - 1];
  if (kind === 'date') return new Date(Math.round(x) * 864e5).toISOString().slice(0, 10);
  if (kind === 'hour') return new Date(Math.round(x) * 36e5).toISOString().slice(0, 13).replace('T', ' ') + ' h';
  return String(Math.round(x * 1000) / 1000);
}

function yText(chart, y) {
  return chart.dataset.y === 'percent' ? (100 * y).toFixed(2) + ' %' : String(Number(y.toPrecision(4)));
}

function nearest(points, x) {
  let low = 0, high = points.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle][0] < x) low = middle + 1; else high = middle;
  }
  return low > 0 && x - points[low - 1][0] < points[low][0] - x ? points[low - 1] : points[low];
}

const charts = [...document.querySelectorAll('figure.chart')].map(chart => ({chart, cache: null}));
const seriesIn = entry => entry.cache ??= seriesOf(entry.chart);

function clearHover() {
  for (const {chart} of charts) chart.querySelectorAll('.hair,.tip').forEach(e => e.remove());
}

// One line through every chart of the same kind; the numbers stand where the pointer is.
function hover(entry, share) {
  clearHover();
  const plot = entry.chart.querySelector('.plot');
  const x = number(plot, 'data-x0') + share * (number(plot, 'data-x1') - number(plot, 'data-x0'));
  for (const other of charts) {
    if (other.chart.dataset.x !== entry.chart.dataset.x) continue;
    const p = other.chart.querySelector('.plot'), area = p.querySelector('.area');
    const at = (x - number(p, 'data-x0')) / (number(p, 'data-x1') - number(p, 'data-x0'));
    if (!(at >= 0 && at <= 1)) continue;
    const hair = document.createElement('div');
    hair.className = 'hair';
    hair.style.left = 100 * at + '%';
    hair.style.height = p.querySelector('.data').getAttribute('height') + 'px';
    area.append(hair);
    if (other !== entry) continue;
    const lines = [], names = hidden(other.chart);
    let title = '';
    for (const s of seriesIn(other)) {
      if (names.has(s.name) || !s.points.length) continue;
      const point = nearest(s.points, x);
      title = xText(other.chart, point[0]);
      lines.push([s.name, point[1]]);
    }
    if (!lines.length) continue;
    lines.sort((a, b) => b[1] - a[1]);
    const tip = document.createElement('div');
    tip.className = 'tip';
    tip.append(title);
    for (const [name, value] of lines.slice(0, 16)) {
      tip.append(document.createElement('br'), name + '  ' + yText(other.chart, value));
    }
    area.append(tip);
    tip.style[at > 0.5 ? 'right' : 'left'] = (at > 0.5 ? 100 - 100 * at : 100 * at) + '%';
  }
}

function hidden(chart) {
  return new Set([...chart.querySelectorAll('button[aria-pressed=false]')].map(b => b.dataset.name));
}

// An area that is switched off is left blank: otherwise the one behind it would show in its place.
function show(path, on) {
  if (path.dataset.kind !== 'area') {
    path.style.display = on ? '' : 'none';
    return;
  }
  path.dataset.fill ??= path.style.fill;
  path.style.fill = on ? path.dataset.fill : 'var(--page)';
}

const quoted = t => /[",\n]/.test(t) ? '"' + t.replaceAll('"', '""') + '"' : t;

function csvOf(entry) {
  const all = seriesIn(entry), rows = new Map();
  all.forEach((s, k) => s.points.forEach(([x, y]) => {
    const key = quoted(xText(entry.chart, x).replace(/ h$/, ''));
    if (!rows.has(key)) rows.set(key, Array(all.length).fill(''));
    rows.get(key)[k] = Number(y.toPrecision(6));
  }));
  const head = [entry.chart.dataset.x, ...all.map(s => quoted(s.name))].join(',');
  return [head, ...[...rows].map(([x, ys]) => [x, ...ys].join(','))].join('\n') + '\n';
}

function download(name, text) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], {type: 'text/csv'}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

for (const entry of charts) {
  const {chart} = entry;
  const area = chart.querySelector('.area');
  area.addEventListener('pointermove', event => {
    const box = area.getBoundingClientRect();
    hover(entry, (event.clientX - box.left) / box.width);
  });
  area.addEventListener('pointerleave', clearHover);
  chart.addEventListener('click', event => {
    const button = event.target.closest('button');
    if (!button) return;
    if (button.classList.contains('csv')) {
      download(chart.dataset.file + '.csv', csvOf(entry));
      return;
    }
    // The same series is switched in every chart.
    const on = button.getAttribute('aria-pressed') === 'false';
    for (const other of document.querySelectorAll('figure.chart')) {
      for (const b of other.querySelectorAll('button[data-name]')) {
        if (b.dataset.name !== button.dataset.name) continue;
        b.setAttribute('aria-pressed', String(on));
        for (const path of other.querySelectorAll('path[data-series]')) {
          if (path.dataset.series === button.dataset.name) show(path, on);
        }
      }
    }
  });
}

// Shows the numbers of the bubble nearest to the pointer.
for (const map of document.querySelectorAll('.map')) {
  const clear = () => {
    map.querySelectorAll('.tip').forEach(e => e.remove());
    map.querySelectorAll('.near').forEach(e => e.classList.remove('near'));
  };
  const read = event => {
    clear();
    let best = null, least = 30;
    for (const bubble of map.querySelectorAll('.bubble')) {
      const box = bubble.getBoundingClientRect();
      const away = Math.hypot(event.clientX - (box.left + box.right) / 2, event.clientY - (box.top + box.bottom) / 2);
      // A pointer inside a bubble counts as next to its centre.
      const distance = Math.max(0, away - box.width / 2) + 0.01 * away;
      if (distance < least) { least = distance; best = bubble; }
    }
    if (!best) return;
    best.classList.add('near');
    const tip = document.createElement('div');
    tip.className = 'tip';
    best.getAttribute('aria-label').split('; ').forEach((line, k) => tip.append(...(k ? [document.createElement('br')] : []), line));
    map.append(tip);
    const frame = map.getBoundingClientRect(), box = best.getBoundingClientRect();
    // Beside the bubble if there is room, and always inside the page.
    const most = frame.width - tip.offsetWidth, after = box.right - frame.left + 4;
    tip.style.left = Math.max(0, after <= most ? after : Math.min(most, box.left - frame.left - 4 - tip.offsetWidth)) + 'px';
    tip.style.top = Math.min(box.bottom - frame.top + 4, frame.height - tip.offsetHeight) + 'px';
  };
  map.addEventListener('pointermove', read);
  map.addEventListener('pointerdown', read);
  // A lifted finger leaves the map: its numbers stay until another bubble is touched.
  map.addEventListener('pointerleave', event => { if (event.pointerType !== 'touch') clear(); });
  document.addEventListener('pointerdown', event => { if (!map.contains(event.target)) clear(); });
}

// Tables of exact numbers, which are kept as whole millionths; texts stay texts.
for (const button of document.querySelectorAll('button[data-table]')) {
  button.addEventListener('click', () => {
    const table = JSON.parse(document.getElementById(button.dataset.table).textContent);
    const cell = value => value === null ? '' : typeof value === 'string' ? quoted(value) : value / 1e6;
    const rows = table.rows.map((row, i) => [quoted(row), ...table.columns.map(c => cell(c[i]))].join(','));
    download(button.dataset.table + '.csv', [[table.head, ...table.names].map(quoted).join(','), ...rows].join('\n') + '\n');
  });
}
