// The losses of all panels over the steps, on a scale of powers of ten, as SVG.
import { short } from './text.js';
import type { Track } from './track.js';

export interface Line { readonly name: string; readonly track: Track; readonly color: string; readonly dash: string }

const kMargin = { left: 52, right: 12, top: 8, bottom: 24 };
// Losses below are drawn here: they are zero for every purpose.
const kFloor = 1e-9;
// Points of a line: more than a screen shows.
const kMostPoints = 400;

export class LossChart {
  private readonly svg: SVGSVGElement;
  private last = '';
  private width = 0;
  private height = 0;

  // `resized` is called when it must be drawn anew: asking for the size in every frame would lay out the page in each.
  constructor(figure: HTMLElement, resized: () => void) {
    this.svg = figure.querySelector('svg')!;
    new ResizeObserver(() => {
      this.measure();
      resized();
    }).observe(this.svg);
  }

  private measure(): void { ({ clientWidth: this.width, clientHeight: this.height } = this.svg); }

  draw(lines: readonly Line[], steps: number, shown: number): void {
    if (this.width === 0) this.measure();
    const { width, height } = this;
    const known = lines.filter(line => line.track.ready && line.track.steps > 0);
    const seen = known.flatMap(line => losses(line.track, line.track.steps).map(([, loss]) => loss));
    const low = Math.floor(Math.log10(Math.min(...seen, 1)));
    const high = Math.ceil(Math.log10(Math.max(...seen, 10 ** (low + 1))));
    const x = (step: number): number => kMargin.left + (width - kMargin.left - kMargin.right) * step / steps;
    const y = (loss: number): number =>
      kMargin.top + (height - kMargin.top - kMargin.bottom) * (high - Math.log10(loss)) / (high - low);
    const parts: string[] = [];
    const every = Math.max(1, Math.ceil((high - low) / 4));
    for (let power = low; power <= high; power += every) {
      const at = y(10 ** power).toFixed(1);
      parts.push(`<path class="rule" d="M${kMargin.left} ${at}H${width - kMargin.right}"/>` +
        `<text x="${kMargin.left - 6}" y="${at}" text-anchor="end" dominant-baseline="middle">1e${power}</text>`);
    }
    for (const share of [0, 0.5, 1]) {
      const anchor = share === 0 ? 'start' : share === 1 ? 'end' : 'middle';
      parts.push(`<text x="${x(share * steps).toFixed(1)}" y="${height - 6}" text-anchor="${anchor}">` +
        `${share === 0 ? 'step 0' : Math.round(share * steps)}</text>`);
    }
    for (const { track, color, dash } of known) {
      const points = losses(track, Math.min(shown + 1, track.steps));
      const path = points.map(([step, loss]) => `${x(step).toFixed(1)} ${y(loss).toFixed(1)}`).join('L');
      const [step, loss] = points[points.length - 1]!;
      parts.push(`<path d="M${path}" style="stroke:var(${color})" stroke-dasharray="${dash}"/>` +
        `<circle cx="${x(step).toFixed(1)}" cy="${y(loss).toFixed(1)}" r="3.5" style="fill:var(${color})"/>`);
    }
    const text = parts.join('');
    if (text === this.last) return;
    this.last = text;
    this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.svg.setAttribute('aria-label', 'Loss over the steps. ' + known.map(({ name, track }) =>
      `${name}: from ${short(track.at(0).loss)} to ${short(track.at(track.steps - 1).loss)}`).join('; '));
    this.svg.innerHTML = text;
  }
}

// Step and loss of the first `count` steps, thinned, the last one kept.
function losses(track: Track, count: number): [number, number][] {
  const every = Math.max(1, Math.ceil(count / kMostPoints));
  const out: [number, number][] = [];
  for (let step = 0; step < count; step += every) out.push([step, Math.max(track.loss(step), kFloor)]);
  if ((count - 1) % every !== 0) out.push([count - 1, Math.max(track.loss(count - 1), kFloor)]);
  return out.filter(([, loss]) => Number.isFinite(loss));
}
